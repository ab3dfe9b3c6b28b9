// What a provider is to the conversation: one answer to a question. It knows nothing of lines, ports, types of inputs or memory.

import type { Json, Type } from '@plumb/lang'
import type { Result } from '@plumb/wire'
import type { Tell } from '../telemetry.js'

/** One turn of the conversation. `content` is text where it came from a line; anything where a memory was set. */
export interface Message {
  readonly role: string
  readonly content: Json
}

export interface Question {
  readonly system: string
  /** What went before this input. It grows in place by what was answered, and is another array once a memory was set. */
  readonly history: readonly Message[]
  /** The input as the user's message; after it, on retries, each answer that did not fit and what was wrong with it. */
  readonly turn: readonly Message[]
  readonly model: string
  readonly temperature: number | undefined
  readonly input: Type
  readonly output: Type
  /** What happens while it answers: text, thinking, retries. */
  readonly tell: Tell
}

export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_creation_tokens: number
}

export interface Answer {
  readonly text: string
  readonly usage: Usage
}

export interface Provider {
  /** Fails with the fault that the input is to have. After `signal` has fired, whatever it resolves to is dropped. */
  answer(question: Question, signal: AbortSignal): Promise<Result<Answer>>
}
