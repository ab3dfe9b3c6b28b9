// What agents inside of tools may spend where no parent has a budget: one for all that this process starts.

import { type Result, succeed } from '../result.js'
import { currentBudget, openBudget } from './budget.js'
import { givenBudget } from './claim.js'

/** PLUMB_BUDGET holds, and so do the limits that agents have themselves. Nothing is opened where there are none, or where there is a budget. */
export const openOwnBudget = (hasAgentLimits: boolean): Result<void> => {
  const cost = givenBudget(process.env)
  if (currentBudget() || (cost === undefined && !hasAgentLimits)) return succeed(undefined)
  const opened = openBudget({ calls: null, tokens: null, cost: cost ?? null })
  return opened.ok ? succeed(undefined) : opened
}
