// How many items an expression may look at for one message: lists of lists of a small message could keep it busy for hours.

import { EvaluationFailure } from './failure.js'

const MAX_STEPS = 100_000_000

let left = MAX_STEPS
/** Calls of bindings that are under way: what they look at counts for the expression that calls. */
let calls = 0

/** To be called before each evaluation. */
export const startSteps = (): void => {
  if (calls === 0) left = MAX_STEPS
}

export const startCall = (): void => {
  calls++
}

export const endCall = (): void => {
  calls--
}

/** To be called for each list that was gone through, with the number of its items. */
export const takeSteps = (count: number): void => {
  left -= count
  if (left < 0) throw new EvaluationFailure(`the expression looks at more than ${MAX_STEPS.toLocaleString('en')} items`, 'too_large')
}
