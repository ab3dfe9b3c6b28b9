// The confidence interval of a share, observed in so many rows.

/** 95 % of a normal distribution lie within so many standard deviations. */
const Z = 1.959963984540054

/**
 * The ends of the 95 % interval of the share of rows that passed, from 0 to 1: the score interval of E. B. Wilson, "Probable inference, the law of
 * succession, and statistical inference", Journal of the American Statistical Association 22 (1927), 209–212. It holds for few rows too, and for shares of
 * 0 and 1. Without rows nothing is known.
 */
export const shareInterval = (passed: number, rows: number): { readonly low: number; readonly high: number } => {
  if (rows === 0) return { low: 0, high: 1 }
  const share = passed / rows
  const square = Z ** 2
  const middle = share + square / (2 * rows)
  const reach = Z * Math.sqrt((share * (1 - share)) / rows + square / (4 * rows ** 2))
  const whole = 1 + square / rows
  // Rounding may exceed the bounds slightly.
  const low = passed === 0 ? 0 : (middle - reach) / whole
  return { low, high: passed === rows ? 1 : (middle + reach) / whole }
}
