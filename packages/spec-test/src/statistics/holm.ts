// Several comparisons at once: the more of them, the sooner one of them looks like a difference.

/**
 * Each p, corrected so that among all of them the chance of a false difference stays what it is for one: S. Holm, "A simple sequentially
 * rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979), 65–70. In the order of the given ones.
 */
export const holm = (ps: readonly number[]): readonly number[] => {
  const order = ps.map((p, i) => ({ p, i })).sort((a, b) => a.p - b.p)
  const adjusted: number[] = []
  let most = 0
  for (const [rank, { p, i }] of order.entries()) {
    most = Math.max(most, Math.min(1, p * (ps.length - rank)))
    adjusted[i] = most
  }
  return adjusted
}
