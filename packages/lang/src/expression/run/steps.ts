// Limits how many items an expression may visit for one message: lists of lists in a small message could keep it busy for hours.

import { EvaluationFailure } from './failure.js'

const MAX_STEPS = 100_000_000

let left = MAX_STEPS
/** The nesting of binding calls: their steps count for the calling expression. */
let calls = 0

let most = MAX_STEPS

/** Call it before each evaluation. */
export const startSteps = (): void => {
  if (calls === 0) left = most
}

/** With fewer of them. */
export const withSteps = <T>(count: number, evaluate: () => T): T => {
  most = count
  try {
    return evaluate()
  } finally {
    most = MAX_STEPS
  }
}

export const startCall = (): void => {
  calls++
}

export const endCall = (): void => {
  calls--
}

/** Call it for each list that was visited, with the number of its items. */
export const takeSteps = (count: number): void => {
  left -= count
  if (left < 0) throw new EvaluationFailure(`the expression looks at more than ${most.toLocaleString('en')} items`, 'too_large')
}
