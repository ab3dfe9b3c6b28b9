// The messages between the caller of compose and the thread that runs the chain.

import type { ChainTool } from '@plumb/lang'
import type { Fault, Result } from '@plumb/wire'
import type { JsonText } from '../json-text.js'
import type { ChainOrder } from '../protocol/chain-order.js'

export interface ChainQuestion {
  readonly chain: string
  /** Undefined: none was given. */
  readonly input: JsonText | undefined
  readonly tools: readonly ChainTool[]
  /** The protocol that its calls keep to. Undefined: there is none. */
  readonly order?: ChainOrder | undefined
}

/** Calls have numbers, from 1. */
export type FromChain =
  /** Errors in the chain, as text: nothing was run. */
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'call'; readonly call: number; readonly tool: string; readonly input: JsonText }
  /** This call is cancelled. */
  | { readonly kind: 'abort'; readonly call: number }
  | { readonly kind: 'warn'; readonly warning: Fault }
  | { readonly kind: 'done'; readonly result: Result<JsonText> }

export interface ToChain {
  readonly call: number
  readonly result: Result<JsonText>
}
