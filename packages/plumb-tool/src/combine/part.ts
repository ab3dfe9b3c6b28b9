// A tool inside of another: each run of it is a call of its own, one deeper, with the call around it as its parent.

import type { CallRecord } from '../call/call.js'
import { perform } from '../call/perform.js'
import type { Tool } from '../tool.js'

export const asPart = (tool: Tool): Tool => ({
  ...tool,
  run: async (input, outer) => {
    const { result, record } = await perform(tool, input, { session: outer.session, signal: outer.signal, parent: outer })
    addUsage(outer.record, record)
    return result
  },
})

// What the parts spent, the whole has spent.
const addUsage = (outer: CallRecord, inner: CallRecord): void => {
  if (inner.tokens !== undefined) outer.tokens = (outer.tokens ?? 0) + inner.tokens
  if (inner.cost !== undefined) outer.cost = (outer.cost ?? 0) + inner.cost
}
