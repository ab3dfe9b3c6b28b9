// Where a run of lines stands in another one: all places, in time that grows with the sum of their lengths.

/** At most `most` places, from `from` on. */
export const findRun = (wanted: readonly string[], lines: readonly string[], from: number, most: number): number[] => {
  const places: number[] = []
  const fallback = fallbacksOf(wanted)
  let matched = 0
  for (let at = from; at < lines.length && places.length < most; at++) {
    while (matched > 0 && (matched === wanted.length || wanted[matched] !== lines[at])) matched = fallback[matched - 1] as number
    if (wanted[matched] === lines[at]) matched++
    if (matched === wanted.length) places.push(at - matched + 1)
  }
  return places
}

// Knuth, Morris, Pratt: how much of the beginning still stands when what follows it does not.
const fallbacksOf = (wanted: readonly string[]): number[] => {
  const fallbacks = [0]
  for (let i = 1, length = 0; i < wanted.length; i++) {
    while (length > 0 && wanted[i] !== wanted[length]) length = fallbacks[length - 1] as number
    if (wanted[i] === wanted[length]) length++
    fallbacks.push(length)
  }
  return fallbacks
}
