// What a list of samples comes to. Pure.

/** The value below which this part of the numbers lies, between neighbours in proportion. */
const quantile = (numbers, part) => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const at = (sorted.length - 1) * part
  const below = Math.floor(at)
  return sorted[below] + (sorted[Math.min(below + 1, sorted.length - 1)] - sorted[below]) * (at - below)
}

export const median = (numbers) => quantile(numbers, 0.5)

/** { median, least, low, high, count }: low and high are the quartiles. */
export const summarise = (numbers) => ({
  median: median(numbers),
  least: Math.min(...numbers),
  low: quantile(numbers, 0.25),
  high: quantile(numbers, 0.75),
  count: numbers.length,
})

/**
 * How two programs compare that ran in the same rounds: `median` and `least` are those of the medians and of the least values, `low` and
 * `high` the quartiles of what single rounds say.
 */
export const compareBy = (operation, ours, theirs) => ({
  median: operation(median(ours), median(theirs)),
  least: operation(Math.min(...ours), Math.min(...theirs)),
  ...quartiles(ours.map((value, round) => operation(value, theirs[round]))),
})

const quartiles = (numbers) => ({ low: quantile(numbers, 0.25), high: quantile(numbers, 0.75) })

export const ratio = (a, b) => a / b
export const inverseRatio = (a, b) => b / a
export const difference = (a, b) => a - b

/**
 * The power of n that values grow with: 1 is linear. `sizes` are [n, values], `bases` what it takes at 0. Fitted to the logarithms of the
 * medians; low and high are the quartiles of the fits to single rounds.
 */
export const growth = (sizes, bases) => {
  const fit = (pick) => slope(sizes.map(([n, values]) => [Math.log(n), Math.log(Math.max(pick(values) - pick(bases), Number.EPSILON))]))
  const fits = bases.map((_, round) => fit((values) => values[round]))
  return { median: fit(median), least: fit((values) => Math.min(...values)), ...quartiles(fits) }
}

const slope = (points) => {
  const mean = (axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const along = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0)
  return along / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
}
