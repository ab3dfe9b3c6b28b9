// For "did you mean": the candidate that a person most likely meant.

/** Undefined when none is near: more than a third of the letters differ, or the only one. Of equally near ones, the first. */
export const nearest = (name: string, candidates: Iterable<string>): string | undefined => {
  let best: string | undefined
  let least = (name.length < 2 ? 0 : Math.max(1, Math.floor(name.length / 3))) + 1
  for (const candidate of candidates) {
    if (candidate === name || Math.abs(candidate.length - name.length) >= least) continue
    const distance = candidate.toLowerCase() === name.toLowerCase() ? 0 : editDistance(name, candidate)
    if (distance < least) {
      best = candidate
      least = distance
    }
  }
  return best
}

// Insertions, deletions, replacements and swaps of neighbours count one each.
const editDistance = (a: string, b: string): number => {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (before[j - 2] ?? 0) + 1)
      row.push(cost)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}
