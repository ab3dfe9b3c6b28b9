// Which of two variants is better, by the scores of the same rows.

import { mcnemarP } from '../statistics/mcnemar.js'
import { bootstrapInterval, signFlipP } from '../statistics/resample.js'
import type { Anytime } from './measure.js'

export interface Differences {
  readonly difference: number
  readonly low: number
  readonly high: number
  /** Undefined: rows are not held or not held, or were asked several times. */
  readonly mcnemarP?: number
  /** By which it is decided. */
  readonly p: number
  readonly better: number
  readonly worse: number
  readonly equal: number
  /** The difference that would have been seen in four of five cases. */
  readonly wouldSee: number
}

/** So many standard errors are seen at 5 % in 80 % of all cases: 1.96 + 0.84. */
const SEEN = 2.8
/** Of so many rows none moved: at 95 % fewer than 3 of as many do (the rule of three). */
const OF_NONE = 3

/** Mean scores of each row, of the baseline and the variant. `anytime`: rows were asked until it was decided. */
export const differencesOf = (
  pairs: readonly (readonly [baseline: number, variant: number])[],
  { isYesNo, seed, anytime }: { readonly isYesNo: boolean; readonly seed: number; readonly anytime?: Anytime | undefined },
): Differences => {
  const differences = pairs.map(([one, other]) => (Math.abs(other - one) < 1e-12 ? 0 : other - one))
  const n = differences.length
  const better = differences.filter((difference) => difference > 0).length
  const worse = differences.filter((difference) => difference < 0).length
  const difference = differences.reduce((sum, one) => sum + one, 0) / Math.max(1, n)
  const square = differences.reduce((sum, one) => sum + (one - difference) ** 2, 0)
  const error = n < 2 ? 1 : Math.sqrt(square / (n - 1) / n)
  // Where all rows moved alike, or none did, their spread says nothing.
  const wouldSee = Math.min(1, error === 0 ? OF_NONE / Math.max(1, n) : SEEN * error)
  const counts = { difference, better, worse, equal: n - better - worse, wouldSee }
  if (anytime) return { ...counts, ...anytime.interval, p: anytime.p }
  const interval = bootstrapInterval(differences, seed)
  if (!isYesNo) return { ...counts, ...interval, p: signFlipP(differences, seed) }
  const p = mcnemarP(better, worse)
  return { ...counts, ...interval, mcnemarP: p, p }
}

export const LEVEL = 0.05

export const verdictOf = (difference: number, adjustedP: number): 'better' | 'worse' | 'no difference' =>
  adjustedP >= LEVEL || difference === 0 ? 'no difference' : difference > 0 ? 'better' : 'worse'
