// Ways to remove parts of a sequence: all optional ones, then halves of it, quarters, …, single ones.

/** Ranges of indices, half-open; after each at least `least` of the `count` are left. The largest first. */
export function* removals(count: number, least: number): Generator<readonly [start: number, end: number]> {
  for (let size = count - least; size > 0; size = Math.floor(size / 2)) {
    for (let start = 0; start < count; start += size) {
      const end = Math.min(start + size, count)
      // The last of them may be a smaller one; where that is all, it was there before.
      if (end - start === size || size > 1) yield [start, end]
    }
  }
}

export const withoutRange = <T>(items: readonly T[], [start, end]: readonly [number, number]): T[] => [
  ...items.slice(0, start),
  ...items.slice(end),
]
