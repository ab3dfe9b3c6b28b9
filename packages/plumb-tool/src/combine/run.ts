// What combinations are made of: the work of a tool without its name and types.

import type { Fault, Result } from '@plumb/wire'
import type { Call } from '../call/call.js'
import type { JsonText } from '../json-text.js'

/** As much of a call as a combination needs. */
export interface Within {
  readonly signal: AbortSignal
  /** Hears of what an each leaves out of a list; the warnings of the session do where there is no list around it. */
  readonly leftOut?: ((fault: Fault) => void) | undefined
  readonly session: { readonly servers: { warn(warning: Fault): void } }
}

export type Run<C extends Within = Call> = (input: JsonText, call: C) => Promise<Result<JsonText>>

export interface Runnable<C extends Within = Call> {
  readonly run: Run<C>
}
