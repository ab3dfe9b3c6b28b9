// Aligns the items of two lists, so that an inserted item does not make all later ones differ.

/** By their indexes in the two lists; undefined: it has no partner. In the order of the lists. */
export type Pairing = readonly (readonly [expected: number | undefined, got: number | undefined])[]

interface Items {
  readonly expected: readonly string[]
  readonly got: readonly string[]
  /** How much two unequal items differ, above 0 and at most 1. */
  readonly distance: (expected: number, got: number) => number
}

/** In longer lists, without their common beginning and end, items are paired by index. */
const MOST = 200
/** The cost of one removal and one insertion; two wholly different items are rather one that has changed. */
const GAP = 0.5

export const align = ({ expected, got, distance }: Items): Pairing => {
  const shorter = Math.min(expected.length, got.length)
  let head = 0
  while (head < shorter && expected[head] === got[head]) head++
  let tail = 0
  while (tail < shorter - head && expected.at(-1 - tail) === got.at(-1 - tail)) tail++
  const [n, m] = [expected.length - head - tail, got.length - head - tail]
  const same = (from: number, to: number, by: number): Pairing => Array.from({ length: to - from }, (_, i) => [from + i, from + i + by])
  const isSame = (i: number, j: number) => expected[head + i] === got[head + j]
  const between = Math.max(n, m) > MOST ? byPlace(n, m) : cheapest(n, m, (i, j) => (isSame(i, j) ? 0 : distance(head + i, head + j)))
  return [
    ...same(0, head, 0),
    ...between.map(([i, j]) => [i === undefined ? i : i + head, j === undefined ? j : j + head] as const),
    ...same(expected.length - tail, expected.length, got.length - expected.length),
  ]
}

const byPlace = (n: number, m: number): Pairing =>
  Array.from({ length: Math.max(n, m) }, (_, i) => [i < n ? i : undefined, i < m ? i : undefined])

// The usual table of edit distances: costs[i][j] is that of the items after i and j.
const cheapest = (n: number, m: number, cost: (i: number, j: number) => number): Pairing => {
  const costs = Array.from({ length: n + 1 }, () => new Float64Array(m + 1))
  const at = (i: number, j: number) => (costs[i] as Float64Array)[j] as number
  const steps = Array.from({ length: n + 1 }, () => new Uint8Array(m + 1))
  for (let i = n; i >= 0; i--) {
    for (let j = m; j >= 0; j--) {
      if (i === n && j === m) continue
      const both = i < n && j < m ? cost(i, j) + at(i + 1, j + 1) : Number.POSITIVE_INFINITY
      const gone = i < n ? GAP + at(i + 1, j) : Number.POSITIVE_INFINITY
      const come = j < m ? GAP + at(i, j + 1) : Number.POSITIVE_INFINITY
      const least = Math.min(both, gone, come)
      ;(costs[i] as Float64Array)[j] = least
      ;(steps[i] as Uint8Array)[j] = both === least ? BOTH : gone === least ? GONE : COME
    }
  }
  const pairs: [number | undefined, number | undefined][] = []
  for (let i = 0, j = 0; i < n || j < m; ) {
    const step = (steps[i] as Uint8Array)[j]
    pairs.push([step === COME ? undefined : i, step === GONE ? undefined : j])
    if (step !== COME) i++
    if (step !== GONE) j++
  }
  return pairs
}

const [BOTH, GONE, COME] = [0, 1, 2]
