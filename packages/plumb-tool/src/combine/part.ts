// A tool inside another: each run of it is a call of its own, one deeper, with the surrounding call as its parent.

import type { CallRecord } from '../call/call.js'
import { perform } from '../call/perform.js'
import type { Tool } from '../call/tool.js'

/** `isKept`: its result is kept for a resumed run of the surrounding call. */
export const asPart = (tool: Tool, isKept: boolean): Tool => ({
  ...tool,
  run: async (input, outer) => {
    const kept = isKept ? outer.session.partsOf?.(outer.whole ?? outer.id) : undefined
    const before = kept?.take(tool.name, input)
    if (before) return before
    const { result, record } = await perform(tool, input, { session: outer.session, signal: outer.signal, parent: outer })
    kept?.note(tool.name, input, result)
    addUsage(outer.record, record)
    return result
  },
})

// The cost of the parts is the cost of the whole.
const addUsage = (outer: CallRecord, inner: CallRecord): void => {
  if (inner.tokens !== undefined) outer.tokens = (outer.tokens ?? 0) + inner.tokens
  if (inner.cost !== undefined) outer.cost = (outer.cost ?? 0) + inner.cost
}
