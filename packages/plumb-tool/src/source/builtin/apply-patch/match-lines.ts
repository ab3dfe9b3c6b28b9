// Finds lines of a patch in a file: exactly, then with looser and looser comparison of white space and typography.

import { headOf } from '../../../call/cut-text.js'
import type { TextLine } from './lines.js'

const MATCH_LEVELS = ['exact', 'trailing white space', 'surrounding white space', 'quotes and dashes'] as const
export type MatchLevel = (typeof MATCH_LEVELS)[number]

export const looser = (a: MatchLevel, b: MatchLevel): MatchLevel => (MATCH_LEVELS.indexOf(a) > MATCH_LEVELS.indexOf(b) ? a : b)

const VIEWS: Readonly<Record<MatchLevel, (text: string) => string>> = {
  exact: (text) => text,
  'trailing white space': (text) => text.trimEnd(),
  'surrounding white space': (text) => text.trim(),
  'quotes and dashes': (text) => fold(text.trim()),
}

// Typographic quotes, dashes and spaces, and their ASCII equivalents.
const FOLDS: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201a\u201b\u2032]/g, "'"],
  [/[\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' '],
  [/\u2026/g, '...'],
]
const PLAIN = /^[\0-\x7f]*$/

const fold = (text: string): string =>
  PLAIN.test(text) ? text : FOLDS.reduce((folded, [from, to]) => folded.replace(from, to), text.normalize('NFC'))

export interface Matches {
  readonly rung: MatchLevel
  /** Indices of the first lines of matches, in order, at most `MAX_PLACES`. */
  readonly places: readonly number[]
}

const MAX_PLACES = 20
const MAX_SHOWN = 12
const MAX_WIDTH = 200
/** Shorter lines, such as a brace, are part of too many others. */
const MIN_PART = 4

/** The lines of a file, normalized for each match level on demand. */
export class SearchableLines {
  readonly #views = new Map<MatchLevel, readonly string[]>()

  constructor(readonly lines: readonly TextLine[]) {}

  /** All matches from `from` on, at the strictest level that has any; `isAtEnd` looks only at the end of the file. */
  find(wanted: readonly string[], from: number, isAtEnd = false): Matches | undefined {
    const last = this.lines.length - wanted.length
    if (wanted.length === 0 || last < from) return undefined
    for (const rung of MATCH_LEVELS) {
      const places = findRun(wanted.map(VIEWS[rung]), this.#view(rung), isAtEnd ? Math.max(from, last) : from, MAX_PLACES)
      if (places.length > 0) return { rung, places }
    }
    return undefined
  }

  /** The lines where most of the wanted ones match, with their numbers, for an error. */
  nearest(wanted: readonly string[]): { line: number; text: string }[] {
    const view = this.#view('quotes and dashes')
    const needle = wanted.slice(0, MAX_SHOWN).map(VIEWS['quotes and dashes'])
    let best = { score: 0, at: 0 }
    for (let at = 0; at < view.length; at++) {
      const score = needle.filter((text, i) => text !== '' && view[at + i] === text).length
      if (score > best.score) best = { score, at }
    }
    if (best.score === 0) return []
    return this.lines
      .slice(best.at, best.at + needle.length)
      .map(({ text }, i) => ({ line: best.at + i + 1, text: headOf(text, MAX_WIDTH) }))
  }

  /** Lines that contain this one, or are contained in it. */
  findSimilar(line: string): { line: number; text: string }[] {
    const needle = VIEWS['quotes and dashes'](line)
    const isAlike = (text: string): boolean => text.length >= MIN_PART && (text.includes(needle) || needle.includes(text))
    return this.#view('quotes and dashes')
      .flatMap((text, at) => (isAlike(text) ? [at] : []))
      .slice(0, MAX_SHOWN)
      .map((at) => ({ line: at + 1, text: headOf(this.lines[at]?.text ?? '', MAX_WIDTH) }))
  }

  #view(rung: MatchLevel): readonly string[] {
    const known = this.#views.get(rung) ?? this.lines.map(({ text }) => VIEWS[rung](text))
    this.#views.set(rung, known)
    return known
  }
}

/** Indices of at most `most` matches, from `from` on. */
const findRun = (wanted: readonly string[], lines: readonly string[], from: number, most: number): number[] => {
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

// The failure function: the length of the longest proper prefix that is also a suffix.
const fallbacksOf = (wanted: readonly string[]): number[] => {
  const fallbacks = [0]
  for (let i = 1, length = 0; i < wanted.length; i++) {
    while (length > 0 && wanted[i] !== wanted[length]) length = fallbacks[length - 1] as number
    if (wanted[i] === wanted[length]) length++
    fallbacks.push(length)
  }
  return fallbacks
}
