// How far several judges agree.

/**
 * K. Krippendorff's alpha of scores, with the metric of intervals ("Computing Krippendorff's Alpha-Reliability", University of Pennsylvania,
 * 2011): 1 if they agree on each row, 0 if not more than by chance. `rows`: the scores that each row has; rows with fewer than two say nothing.
 * Undefined: all scores are the same, so that chance would agree as well.
 */
export const krippendorffAlpha = (rows: readonly (readonly number[])[]): number | undefined => {
  const paired = rows.filter(({ length }) => length > 1)
  const all = paired.flat()
  const within = paired.reduce((sum, scores) => sum + squares(scores) / (scores.length - 1), 0)
  const expected = squares(all) / (all.length - 1)
  return all.length === 0 || expected <= 0 ? undefined : 1 - within / expected
}

// Of the differences of all ordered pairs. From their mean, so that no digits are lost.
const squares = (values: readonly number[]): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return 2 * values.length * values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
}
