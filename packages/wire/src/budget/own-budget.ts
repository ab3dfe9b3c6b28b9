// The budget of agents inside tools if no parent has one: one for all that this process starts.

import { type Result, succeed } from '../result.js'
import { openBudget } from './budget.js'
import { givenBudget } from './claim.js'
import { currentBudget } from './current.js'

/** PLUMB_BUDGET applies, and so do the agents' own limits. Nothing is opened if there are none, or if there is a budget. */
export const openOwnBudget = (hasAgentLimits: boolean): Result<void> => {
  if (currentBudget()) return succeed(undefined)
  const cost = givenBudget(process.env)
  if (!cost.ok) return cost
  if (cost.value === undefined && !hasAgentLimits) return succeed(undefined)
  const opened = openBudget({ calls: null, tokens: null, cost: cost.value ?? null })
  return opened.ok ? succeed(undefined) : opened
}
