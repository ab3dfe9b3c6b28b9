// The budget of this process, which our children get without an option.

import type { Budget } from './interface.js'

/** Its descriptor in our children. */
export const BUDGET_FD = 10

let current: Budget | undefined

export const currentBudget = (): Budget | undefined => current

export const setCurrentBudget = (budget: Budget): void => {
  current = budget
}
