// An API for chat.ts, which all share: how a question becomes a request, and how an answer is read from the reply.

import type { Json } from '@plumb/lang'
import type { BatchApi } from './batch/api.js'
import type { EffortLevel } from './effort.js'
import type { ApiCalls } from './http/api-calls.js'
import type { Attempt, Failure, ReplyFailures } from './http/failure.js'
import type { MediaBlock } from './media-block.js'
import type { Dialect, OutputFormat } from './output-schema.js'
import type { ModelAnswer, ModelRequest } from './provider.js'
import type { WireNames } from './wire-names.js'

export interface Protocol {
  readonly pathOf: (endpoint: URL) => string
  /** `body` is what is sent: some of its features must be announced. A server on this machine may get no key. */
  readonly headersOf: (key: string | undefined, body: unknown) => Readonly<Record<string, string>>
  /** The subset of schemas that its structured output enforces. */
  readonly dialect: Dialect
  /** Why it accepts no such image, document or audio. Undefined: it does. */
  readonly refusesMedia: (block: MediaBlock) => string | undefined
  readonly bodyOf: (question: ModelRequest, asking: BodyOptions) => object
  readonly openReader: (question: ModelRequest, names: WireNames, failures: ReplyFailures) => AnswerReader
  /** A plain reply, as the events of an equivalent stream. `text`: the original, with all digits. */
  readonly eventsOf: (reply: unknown, text?: string) => readonly unknown[]
  /** Its API of batches, for lane "batch"; `headers` are those of a request without a body. */
  readonly openBatches: (calls: ApiCalls, endpoint: URL, headers: Readonly<Record<string, string>>) => Promise<BatchApi>
  /** The API's levels of effort. Undefined: each model has its own. */
  readonly efforts: readonly EffortLevel[] | undefined
  readonly downgrades: readonly Downgrade[]
  readonly hints: readonly RefusalHint[]
}

export interface BodyOptions {
  readonly maxTokens: number
  readonly thinkingBudget: number | undefined
  readonly isStreaming: boolean
  /** Including the description of the output. */
  readonly system: string
  readonly format: OutputFormat | undefined
  readonly effort: EffortLevel | undefined
  readonly names: WireNames
  /** Names of features to leave out. */
  readonly downgrades: ReadonlySet<string>
}

/** A feature that not all models and servers support. After a refusal with such words it is left out. */
export interface Downgrade {
  readonly name: string
  readonly words: RegExp
  /** What the answer then lacks. Undefined: nothing, it is only written in another way. */
  readonly concedes?: string
}

/**
 * A schema of the answer beside tools. Gemini: "Function calling with a response mime type … is unsupported"; llama.cpp: "Cannot use custom
 * grammar constraints with tools"; Groq: "json mode cannot be combined with tool/function calling".
 */
export const PLAIN_WITH_TOOLS: Downgrade = {
  name: 'plain_with_tools',
  words:
    /(?:tool|function)s?\b.{0,60}(?:mime type|json|grammar|response_format|structured)|(?:json|grammar|response_format|structured).{0,80}(?:tool|function)/is,
  concedes: 'structured output beside tools',
}

/** The remedy for a refusal with such words. */
export interface RefusalHint {
  readonly words: RegExp
  readonly hint: string
}

export interface AnswerReader {
  /** One event, parsed; `[DONE]` unchanged. */
  take(event: unknown): Failure | undefined
  /** The last event was read. */
  readonly isOver: boolean
  /** At the end of the reply: the answer, or why it is none. */
  finish(): Attempt<Finished>
}

/** Its counts are as the server sent them: see `checkUsage`. */
export interface Finished extends ModelAnswer {
  /** The provider interrupts its answer: it is sent back, and the provider continues it. */
  readonly isPaused?: boolean
}

export const asJson = (value: unknown): Json => value as Json
