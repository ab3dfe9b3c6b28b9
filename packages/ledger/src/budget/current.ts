// The budget of this process, which our children get without an option.

import { shareBudget } from '@plumb/wire'
import type { Budget } from './interface.js'

let current: Budget | undefined

export const currentBudget = (): Budget | undefined => current

export const setCurrentBudget = (budget: Budget): void => {
  current = budget
  shareBudget(budget)
}
