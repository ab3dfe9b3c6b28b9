// The building blocks of combinations: the work of a tool without its name and types.

import type { Fault, Result } from '@plumb/wire'
import type { Call } from '../call/call.js'
import type { JsonText } from '../json-text.js'

/** The part of a call that a combination needs. */
export interface Within {
  readonly signal: AbortSignal
  /** Receives what an each leaves out of a list; without a surrounding list, the session's warnings do. */
  readonly leftOut?: ((fault: Fault) => void) | undefined
  readonly session: { readonly servers: { warn(warning: Fault): void } }
}

export type Run<C extends Within = Call> = (input: JsonText, call: C) => Promise<Result<JsonText>>

export interface Runnable<C extends Within = Call> {
  readonly run: Run<C>
}
