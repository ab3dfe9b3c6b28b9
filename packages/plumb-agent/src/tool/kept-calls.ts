// The calls of one answer that were made before, or that wait for a person. Without them each call is made.

import type { CallSteps } from '@plumb/ledger/approval'
import type { Result, ToolAnswer, ToolRequest } from '@plumb/wire'
import type { ToolResult, ToolUse } from '../provider/provider.js'
import type { Consented } from './approvals.js'

export interface KeptCalls {
  find(use: ToolUse): ToolResult | undefined
  /** A call that needs approval, with its input as JSON: it may be parked. Undefined: it cannot. Call it after `find`. */
  held(
    use: ToolUse,
    input: string,
    schema: () => unknown,
  ): ((steps: Omit<CallSteps<MadeCall>, 'isLost'>) => Promise<Result<MadeCall>>) | undefined
  keep(use: ToolUse, result: ToolResult): void
  /** The calls of a chain; equal ones in the order in which they are made. */
  inChain(chain: ToolUse): KeptChain
}

/** Called when a call is about to be made. */
export type KeptChain = (call: Pick<ToolRequest, 'name' | 'input'>) => {
  readonly found: KeptAnswer | undefined
  readonly keep: (answer: KeptAnswer) => void
}

export type MadeCall = ToolAnswer & Consented

export type KeptAnswer = Omit<MadeCall, 'id'>
