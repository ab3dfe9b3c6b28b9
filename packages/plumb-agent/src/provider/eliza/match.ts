// Decomposes a text by a pattern, as SLIP's YMATCH did: every run of terms after a 0 is taken
// at its earliest place, the last one at the end.
// Time grows with text times pattern, never with their powers: no text can make a pattern backtrack.
import type { Term } from './rule.js'

/**
 * The bounds of the parts, or undefined when the pattern does not fit the whole text:
 * part i (from 1, one a term) is the words from `bounds[i - 1]` up to `bounds[i]`.
 */
export const match = (terms: readonly Term[], words: readonly string[]): number[] | undefined => {
  const bounds = [0]
  let at = 0
  let first = 0
  while (first < terms.length) {
    const isFree = isAnyNumber(terms[first])
    const from = isFree ? first + 1 : first
    let to = from
    while (to < terms.length && !isAnyNumber(terms[to])) to++
    const width = widthOf(terms, from, to)
    const latest = words.length - width
    let place = isFree && to === terms.length ? latest : at
    if (place < at) return undefined
    while (!fits(terms, from, to, words, place)) {
      if (!isFree || ++place > latest) return undefined
    }
    if (isFree) bounds.push(place)
    at = place
    for (let i = from; i < to; i++) {
      at += lengthOf(terms[i])
      bounds.push(at)
    }
    first = to
  }
  return at === words.length ? bounds : undefined
}

const isAnyNumber = (term: Term | undefined): boolean => term?.kind === 'count' && term.count === 0

const lengthOf = (term: Term | undefined): number => (term?.kind === 'count' ? term.count : 1)

const widthOf = (terms: readonly Term[], from: number, to: number): number => {
  let width = 0
  for (let i = from; i < to; i++) width += lengthOf(terms[i])
  return width
}

const fits = (terms: readonly Term[], from: number, to: number, words: readonly string[], place: number): boolean => {
  let at = place
  for (let i = from; i < to; i++) {
    const term = terms[i]
    const word = words[at]
    if (term?.kind === 'word' && term.word !== word) return false
    if (term?.kind === 'one-of' && !(word !== undefined && term.sets.some((set) => set.has(word)))) return false
    at += lengthOf(term)
  }
  return at <= words.length
}
