// Why one attempt gave no answer: the fault an input is to have, and whether the same request may be sent again.

import { type Code, type Fault, fault } from '@plumb/wire'
import type { ProviderRefusal } from '../../conversation/breaker.js'

export interface Failure {
  readonly fault: Fault
  readonly isRetryable: boolean
  /** What the server asks to be waited, where it makes sense. */
  readonly retryAfterMs?: number
  /** The server's own message, from which a compatible request may be derived. */
  readonly words: string
  /** No server is there, or one that is still loading its model: it may be being restarted. */
  readonly isAway?: boolean
  /** It is not billed: it never went out, or was answered with an error. */
  readonly isUnbilled?: boolean
  /** It was only about what stands before the batch itself. */
  readonly isNotMade?: true
  /** It is not this request that is refused, but the key, the account or the model. */
  readonly refusal?: ProviderRefusal
  /** Other questions fail with this very object. */
  readonly isShared?: true
}

export type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure }

export const failWith = (code: Code, detail: string, isRetryable: boolean): { readonly ok: false; readonly failure: Failure } => ({
  ok: false,
  failure: { fault: fault(code, detail), isRetryable, words: '' },
})

/** Thrown by what reads a body in the middle of an iteration; caught where the attempt ends. */
export class Unreadable extends Error {
  readonly code = 'UNREADABLE'
}
