// For "did you mean": the most likely candidate for a mistyped name.

/** A longer name is not a typing error, and only the first so many candidates are compared. */
const MAX_NAME = 100
const MAX_CANDIDATES = 10_000

/** Undefined if none is near: more than a third of the letters differ, or the only one. Of equally near ones, the first. */
export const nearest = (name: string, candidates: Iterable<string>): string | undefined => {
  if (name.length > MAX_NAME) return undefined
  let best: string | undefined
  let count = 0
  let least = (name.length < 2 ? 0 : Math.max(1, Math.floor(name.length / 3))) + 1
  for (const candidate of candidates) {
    if (++count > MAX_CANDIDATES) break
    if (candidate === name || Math.abs(candidate.length - name.length) >= least) continue
    const distance = candidate.toLowerCase() === name.toLowerCase() ? 0 : editDistance(name, candidate, least)
    if (distance < least) {
      best = candidate
      least = distance
    }
  }
  return best
}

/** Whether one letter is more, less or another, or two have changed their places. */
export const isOneOff = (a: string, b: string): boolean =>
  a !== b && a.length <= MAX_NAME && Math.abs(a.length - b.length) < 2 && Math.max(a.length, b.length) > 1 && editDistance(a, b, 2) === 1

// Insertions, deletions, replacements and swaps of neighbours count one each. Stops counting at `enough`.
const editDistance = (a: string, b: string, enough: number): number => {
  let before: number[] = []
  let last: number[] = []
  let row: number[] = []
  for (let j = 0; j <= b.length; j++) last[j] = j
  let leastOfLast = 0
  for (let i = 1; i <= a.length; i++) {
    let leastOfRow = i
    row[0] = i
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (before[j - 2] ?? 0) + 1)
      row[j] = cost
      if (cost < leastOfRow) leastOfRow = cost
    }
    // Every path goes through one of these two rows.
    if (leastOfRow >= enough && leastOfLast >= enough) return enough
    leastOfLast = leastOfRow
    ;[before, last, row] = [last, row, before]
  }
  return last[b.length] ?? 0
}
