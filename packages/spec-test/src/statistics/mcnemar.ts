// Whether two shares of the same rows differ.

/**
 * The two-sided p of so many rows that only one of the two held, and so many that only the other did: the exact test of Q. McNemar, "Note on
 * the sampling error of the difference between correlated proportions or percentages", Psychometrika 12 (1947), 153–157, by the binomial
 * distribution with the share ½ in place of its limit.
 */
export const mcnemarP = (one: number, other: number): number => {
  const n = one + other
  const least = Math.min(one, other)
  if (n === 0) return 1
  // The probability of exactly `least`, as a logarithm; then those of fewer, each from the one before it.
  let logOfTerm = -n * Math.LN2
  for (let i = 1; i <= least; i++) logOfTerm += Math.log((n - least + i) / i)
  let [term, sum] = [1, 1]
  for (let k = least; k > 0 && term > Number.EPSILON * sum; k--) {
    term *= k / (n - k + 1)
    sum += term
  }
  return Math.min(1, 2 * Math.exp(logOfTerm) * sum)
}
