// Why one attempt gave no answer: the fault an input is to have, and whether the same request may be sent again.

import { type Code, type Fault, fault } from '@plumb/wire'

export interface Failure {
  readonly fault: Fault
  readonly isRetryable: boolean
  /** What the server asks to be waited, where it makes sense. */
  readonly retryAfterMs?: number
  /** The server's own words, by which it may be told what it would rather have. */
  readonly words: string
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
