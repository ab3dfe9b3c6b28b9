// The cost of requests to models, of a conversation and of the run.

import { showCost } from '@plumb/runtime/display'
import type { ShownCost } from './run-model.js'

export const NOTHING_SPENT: ShownCost = { known: 0, unpriced: [] }

export const addCosts = (a: ShownCost, b: ShownCost): ShownCost => ({
  known: a.known + b.known,
  unpriced: [...new Set([...a.unpriced, ...b.unpriced])],
})

/** Undefined: everything was free, or no price is known. */
export const spentText = (spent: ShownCost): string | undefined => (spent.known > 0 ? showCost(spent) : undefined)
