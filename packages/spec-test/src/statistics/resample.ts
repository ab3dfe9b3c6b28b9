// Intervals and tests of paired differences by resampling: nothing is supposed about how they are distributed.

import { randomAt } from '@plumb/lang/random'

const RESAMPLES = 10_000
const TAIL = 0.025

/**
 * The 95 % interval of the mean of differences, a row each: percentiles of the means of as many rows drawn with replacement, the bootstrap of
 * B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7 (1979), 1–26. Without rows nothing is known.
 */
export const bootstrapInterval = (
  differences: readonly number[],
  seed: number,
  resamples = RESAMPLES,
): { readonly low: number; readonly high: number } => {
  const values = Float64Array.from(differences)
  const n = values.length
  if (n === 0) return { low: -1, high: 1 }
  const means = new Float64Array(resamples)
  for (let i = 0, drawn = 0; i < resamples; i++) {
    let sum = 0
    for (let j = 0; j < n; j++) sum += values[Math.floor(randomAt(seed, ++drawn) * n)] as number
    means[i] = sum / n
  }
  means.sort()
  const at = (share: number): number => means[Math.round(share * (resamples - 1))] as number
  return { low: at(TAIL), high: at(1 - TAIL) }
}

const BITS = 32

/**
 * The two-sided p of the mean of differences, a row each, where the sign of each could as well be the other: R. A. Fisher, The Design of
 * Experiments (1935), section 21, over so many random signs. The observed ones are among them, so that it is never 0: B. Phipson and G. K. Smyth,
 * "Permutation p-values should never be zero", Statistical Applications in Genetics and Molecular Biology 9 (2010), article 39.
 */
export const signFlipP = (differences: readonly number[], seed: number, flips = RESAMPLES): number => {
  const values = Float64Array.from(differences.filter((difference) => difference !== 0))
  const n = values.length
  if (n === 0) return 1
  const total = (signs: () => boolean): number => {
    let sum = 0
    for (let j = 0; j < n; j++) sum += signs() ? (values[j] as number) : -(values[j] as number)
    return Math.abs(sum)
  }
  // Equal sums may differ by rounding.
  const observed = total(() => true) * (1 - 1e-12)
  let drawn = 0
  let [bits, left] = [0, 0]
  const flip = (): boolean => {
    if (left === 0) [bits, left] = [randomAt(seed, ++drawn) * 2 ** BITS, BITS]
    left--
    const isOdd = (bits & 1) === 1
    bits >>>= 1
    return isOdd
  }
  let asLarge = 0
  for (let i = 0; i < flips; i++) if (total(flip) >= observed) asLarge++
  return (1 + asLarge) / (1 + flips)
}
