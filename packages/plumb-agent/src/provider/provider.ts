// What a provider is to the conversation: one answer to a question. It knows nothing of lines, ports, types of inputs or who runs tools.

import type { Json, Type } from '@plumb/lang'
import type { Fault, Log } from '@plumb/wire'
import type { Billing } from '../conversation/billing.js'
import type { ProviderRefusal } from '../conversation/breaker.js'
import type { HasSignal } from '../conversation/cancellation.js'
import type { Emit } from '../io/telemetry.js'
import type { CallInput } from './call-input.js'
import type { Effort } from './effort.js'
import type { MediaBlock } from './media-block.js'

/**
 * One turn of the conversation, in the form that get_memory shows. `content` is text, or a list of blocks; where a memory was set it may
 * be any JSON, which a provider shows to the model as JSON text. Roles other than user and assistant are shown as the user's.
 */
export interface ChatMessage {
  readonly role: string
  readonly content: Json
}

/** Parts of a message. What a provider does not know it passes back as it came (`raw`). */
export type ContentBlock =
  /** `phase`: what OpenAI's models say of their own texts, and want to see again. */
  | { readonly type: 'text'; readonly text: string; readonly phase?: 'commentary' | 'final_answer' }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  /** `input` that was no JSON stands as { "invalid_json": TEXT }. `name` is the tool's own, with its colon or dot. */
  | ({ readonly type: 'tool_use'; readonly id: string; readonly name: string } & CallInput)
  /** `content`: text, or a list of blocks as in result-parts.ts. */
  | { readonly type: 'tool_result'; readonly tool_use_id: string; readonly content: Json; readonly is_error: boolean }
  | MediaBlock

/** A tool as a model sees it. */
export interface ToolOffer {
  readonly name: string
  readonly description: string
  /** Always an object schema. */
  readonly input_schema: { readonly [key: string]: Json }
  readonly strict?: boolean
}

export interface ModelRequest {
  /** Prompt and documents: the same for all inputs, so that it can be cached. */
  readonly system: string
  /** runtime_context: changes every time, never cached. */
  readonly context: string | undefined
  /** What went before this input. It grows in place by what was answered, and is another array once a memory was set. */
  readonly history: readonly ChatMessage[]
  /** The input as the user's message; after it tool rounds, and on retries each answer that did not fit and what was wrong with it. */
  readonly turn: readonly ChatMessage[]
  readonly tools: readonly ToolOffer[]
  readonly parallelToolCalls: boolean
  readonly model: string
  readonly temperature: number | undefined
  readonly effort: Effort | undefined
  /** What these have become since: asked before each retry. */
  readonly settings?: () => Pick<ModelRequest, 'model' | 'temperature' | 'effort'>
  /** What became of all questions meanwhile: asked before each retry, which is not made then. */
  readonly refused?: () => Fault | undefined
  /** What it uses counts against a budget. Undefined: there is none. */
  readonly billing?: Billing | undefined
  /** How it goes by lane "batch". */
  readonly batching?: Batching | undefined
  readonly input: Type
  readonly output: Type
  /** `auto`: where the server does not enforce it. */
  readonly schemaInPrompt: boolean | 'auto'
  /** An answer did not fit the output type before: structured output was not enforced. */
  readonly hasMisfit: boolean
  /** What happens while it answers: text, thinking, retries. */
  readonly emit: Emit
  readonly log: Log
}

export interface Batching {
  /** By which it is found in the notes of a run before; undefined: nothing is kept. */
  readonly key: string | undefined
  /** Where these notes are. */
  readonly directory: string | undefined
  /** About a batch, and not this question. */
  readonly tell: Emit
  readonly warn: (warning: Fault) => void
}

export interface TokenUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_creation_tokens: number
}

export const NO_USAGE: TokenUsage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_creation_tokens: 0 }

export const addUsage = (a: TokenUsage, b: TokenUsage): TokenUsage => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  cache_read_tokens: a.cache_read_tokens + b.cache_read_tokens,
  cache_creation_tokens: a.cache_creation_tokens + b.cache_creation_tokens,
})

export interface ModelAnswer {
  /** In the order in which the model said them, thinking included: passed back intact. */
  readonly content: readonly ContentBlock[]
  /** `tokens`: cut at max_tokens. `refused`: the provider's own filter. */
  readonly stop: 'end' | 'tool_use' | 'tokens' | 'refused'
  readonly usage: TokenUsage
  /** Why the usage is the most that it could be, and not what was reported. */
  readonly estimated?: string
  /** In nanodollars, where there is a limit of money. */
  readonly cost?: number
  /** Which gave it, where that is not the one that was asked first. */
  readonly model?: string
  /** It was asked for as { "value": T }. */
  readonly isWrapped?: boolean
}

export type Answered =
  | { readonly ok: true; readonly value: ModelAnswer }
  | { readonly ok: false; readonly error: Fault; readonly refusal?: ProviderRefusal; readonly isShared?: true }

export interface Provider {
  /** What its answers depend on besides the question, such as the length of an answer; neither keys nor where it runs. */
  readonly settings?: { readonly [name: string]: unknown }
  /** Why it takes no temperature, as it is set up; undefined: it takes one. */
  readonly noTemperature?: string
  /**
   * Fails with the fault that the input is to have, after all transport retries. After the
   * signal has fired, whatever it resolves to is dropped.
   */
  answer(question: ModelRequest, listened: HasSignal): Promise<Answered>
  /** Connections that are kept alive are closed. */
  close?(): void
}
