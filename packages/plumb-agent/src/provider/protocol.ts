// What an API is to the chat that both share: how a question looks there, and how an answer is read from what comes back.

import type { Json } from '@plumb/lang'
import type { Failure } from './http/failure.js'
import type { Answer, Question } from './provider.js'
import type { WireNames } from './wire-names.js'

export interface Protocol {
  readonly keyVariable: string
  /** Where the provider itself is. */
  readonly ownEndpoint: string
  readonly pathOf: (endpoint: URL) => string
  /** `body` is what is sent: some of what it holds must be announced. A server on this machine may get no key. */
  readonly headersOf: (key: string | undefined, body: unknown) => Readonly<Record<string, string>>
  readonly bodyOf: (question: Question, asking: Asking) => object
  readonly openReader: (question: Question, names: WireNames, fail: (error: unknown) => Failure) => AnswerReader
  /** The reply of the plain form, as the events that a stream would have had. */
  readonly eventsOf: (reply: unknown) => readonly unknown[]
  readonly concessions: readonly Concession[]
}

export interface Asking {
  readonly maxTokens: number
  readonly thinkingBudget: number | undefined
  readonly isStreaming: boolean
  /** At the provider's own host: servers like it may take no notice of what they do not know. */
  readonly isOwnHost: boolean
  readonly names: WireNames
  readonly conceded: ReadonlySet<string>
}

/**
 * What models and servers do not all take. Where one refuses a request with these words, it is asked again without, once, and the model is
 * asked so from then on.
 */
export interface Concession {
  readonly name: string
  readonly words: RegExp
}

export interface AnswerReader {
  /** One event, parsed; `[DONE]` as it stands. */
  take(event: unknown): Failure | undefined
  /** The last event has been: nothing more is waited for. */
  readonly isOver: boolean
  /** What there is makes an answer, if nothing more comes. */
  readonly isWhole: boolean
  finish(): Finished
}

/** Its counts are as the server told them: see `soundUsage`. */
export interface Finished extends Answer {
  /** The provider interrupts itself: what it said goes back, and it continues. */
  readonly isPaused?: boolean
}

export const asJson = (value: unknown): Json => value as Json
