// Why one attempt gave no answer: the fault of the input, and whether the same request may be sent again.

import { type Code, type Fault, fault } from '@plumb/wire'
import type { ProviderRefusal } from '../provider.js'

export interface Failure {
  readonly fault: Fault
  readonly isRetryable: boolean
  /** The delay that the server asks for, if valid. */
  readonly retryAfterMs?: number
  /** The server's own message, from which a compatible request may be derived. */
  readonly text: string
  /** No server is there, or one that is still loading its model: it may be restarting. */
  readonly isAway?: boolean
  /** It is not billed: it was never sent, or was answered with an error. */
  readonly isUnbilled?: boolean
  /** It is about the files of a batch, before the batch itself. */
  readonly isNotMade?: true
  /** The key, the account or the model is refused, not this request. */
  readonly refusal?: ProviderRefusal
  /** The server could not read what the model wrote: the model may be asked again. */
  readonly isOfModel?: true
  /** Other requests fail with this very object. */
  readonly isShared?: true
}

export type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure }

/** Makes failures in the words of a server. */
export interface ReplyFailures {
  /** `error`: the server's own object, or what holds it. */
  readonly ofError: (error: unknown) => Failure
  /** The reply may be whole the next time. `did`: "ended its reply …". */
  readonly ofBroken: (did: string) => Failure
}

export const failWith = (code: Code, detail: string, isRetryable: boolean): { readonly ok: false; readonly failure: Failure } => ({
  ok: false,
  failure: { fault: fault(code, detail), isRetryable, text: '' },
})

/** Thrown while a body is read; caught where the attempt ends. */
export class Unreadable extends Error {
  readonly code = 'UNREADABLE'

  constructor(
    message: string,
    readonly isRetryable = false,
  ) {
    super(message)
  }
}

/** Thrown where a request needs a key that cannot be had; caught where the attempt ends. */
export class KeyLacking extends Error {
  constructor(readonly fault: Fault) {
    super(fault.detail)
  }
}
