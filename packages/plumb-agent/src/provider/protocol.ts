// What an API is to chat.ts, which all share: how a question becomes a request, and how an answer is read from the reply.

import type { Json } from '@plumb/lang'
import type { BatchApi } from './batch/api.js'
import type { EffortLevel } from './effort.js'
import type { ApiCalls } from './http/api-calls.js'
import type { Failure } from './http/failure.js'
import type { MediaBlock } from './media-block.js'
import type { Dialect, OutputFormat } from './output-schema.js'
import type { ModelAnswer, ModelRequest } from './provider.js'
import type { WireNames } from './wire-names.js'

export interface Protocol {
  readonly pathOf: (endpoint: URL) => string
  /** `body` is what is sent: some of what it holds must be announced. A server on this machine may get no key. */
  readonly headersOf: (key: string | undefined, body: unknown) => Readonly<Record<string, string>>
  /** Of the schemas that its structured output enforces. */
  readonly dialect: Dialect
  /** Why it takes no such image, document or audio; undefined: it does. */
  readonly refusesMedia: (block: MediaBlock) => string | undefined
  readonly bodyOf: (question: ModelRequest, asking: BodyOptions) => object
  readonly openReader: (question: ModelRequest, names: WireNames, fail: (error: unknown) => Failure) => AnswerReader
  /** The reply of the plain form, as the events that a stream would have had. `text`: as it came, with all digits. */
  readonly eventsOf: (reply: unknown, text?: string) => readonly unknown[]
  /** Its API of batches, for lane "batch"; `headers` are those of a request that has no body. */
  readonly openBatches: (calls: ApiCalls, endpoint: URL, headers: Readonly<Record<string, string>>) => Promise<BatchApi>
  /** The levels of effort that the API has; undefined: each model has its own. */
  readonly efforts: readonly EffortLevel[] | undefined
  readonly downgrades: readonly Downgrade[]
  readonly hints: readonly Hint[]
}

export interface BodyOptions {
  readonly maxTokens: number
  readonly thinkingBudget: number | undefined
  readonly isStreaming: boolean
  /** With what is said of the output in it. */
  readonly system: string
  readonly format: OutputFormat | undefined
  readonly effort: EffortLevel | undefined
  readonly names: WireNames
  /** Names of what to leave out. */
  readonly downgrades: ReadonlySet<string>
}

/** A feature that not all models and servers take. One that refuses it with such words is asked without it from then on. */
export interface Downgrade {
  readonly name: string
  readonly words: RegExp
  /** What the answer is then made without; undefined: nothing is missing, it is only said in another way. */
  readonly concedes?: string
}

/** What can be done about a refusal with such words. */
export interface Hint {
  readonly words: RegExp
  readonly hint: string
}

export interface AnswerReader {
  /** One event, parsed; `[DONE]` as it stands. */
  take(event: unknown): Failure | undefined
  /** The last event was taken. */
  readonly isOver: boolean
  /** What was taken so far is a whole answer. */
  readonly isWhole: boolean
  finish(): Finished
}

/** Its counts are as the server sent them: see `checkUsage`. */
export interface Finished extends ModelAnswer {
  /** The provider interrupts its answer: what it said is sent back, and it continues. */
  readonly isPaused?: boolean
}

export const asJson = (value: unknown): Json => value as Json
