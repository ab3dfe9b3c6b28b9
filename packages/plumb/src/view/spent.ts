// What requests to models have cost, of a conversation and of the run.

import { showCost } from '../display/show-number.js'
import type { Spent } from './run-model.js'

export const NOTHING_SPENT: Spent = { known: 0, unpriced: [] }

export const addSpent = (a: Spent, b: Spent): Spent => ({
  known: a.known + b.known,
  unpriced: [...new Set([...a.unpriced, ...b.unpriced])],
})

/** Undefined: there is nothing to say, since all was free, or no price of it is known. */
export const spentText = (spent: Spent): string | undefined => (spent.known > 0 ? `$${showCost(spent)}` : undefined)
