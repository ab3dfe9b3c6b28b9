// Finds lines of a patch in a file: exactly, then with looser and looser comparison of white space and typography.

import { headOf } from '../../../call/cut-text.js'
import type { TextLine } from './lines.js'

export const MATCH_LEVELS = ['exact', 'trailing white space', 'surrounding white space', 'quotes and dashes'] as const
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

export interface Nearest {
  /** Index in the file at which the first wanted line would be; it may be below 0. */
  readonly at: number
  /** Index of the first wanted line that differs there. */
  readonly differs: number
}

export interface Matches {
  readonly rung: MatchLevel
  /** Indices of the first lines of matches, in order, at most `MAX_PLACES`. */
  readonly places: readonly number[]
}

const LOOSEST = 'quotes and dashes'
const MAX_PLACES = 20
/** Lines in an error. */
export const MAX_SHOWN = 12
/** A line that is often in the hunk, such as a brace, says little of its place. */
const MAX_VOTES = 4
const MAX_WIDTH = 200
/** Shorter lines, such as a brace, are part of too many others. */
const MIN_PART = 4

/** The lines of a file, normalized for each match level on demand. */
export class SearchableLines {
  readonly #views = new Map<MatchLevel, readonly string[]>()

  constructor(readonly lines: readonly TextLine[]) {}

  /** All matches from `from` on, at the strictest level that has any; `isAtEnd` looks only at the end of the file. */
  find(wanted: readonly string[], from: number, isAtEnd = false): Matches | undefined {
    for (const rung of MATCH_LEVELS) {
      const places = this.findAt(rung, wanted, from, isAtEnd)
      if (places.length > 0) return { rung, places }
    }
    return undefined
  }

  /** At this level. */
  findAt(rung: MatchLevel, wanted: readonly string[], from: number, isAtEnd = false): readonly number[] {
    const last = this.lines.length - wanted.length
    if (wanted.length === 0 || last < from) return []
    return findRun(wanted.map(VIEWS[rung]), this.#view(rung), isAtEnd ? Math.max(from, last) : from, MAX_PLACES)
  }

  /** Whether they are just there, at any level. */
  isAt(wanted: readonly string[], at: number): boolean {
    if (at < 0 || at + wanted.length > this.lines.length) return false
    return wanted.every((line, i) => VIEWS[LOOSEST](line) === VIEWS[LOOSEST](this.lines[at + i]?.text ?? ''))
  }

  /** Where most of the wanted lines are, and the first of them that is not there; undefined if none of them is in the file. */
  nearest(wanted: readonly string[]): Nearest | undefined {
    const view = this.#view(LOOSEST)
    const needle = wanted.map(VIEWS[LOOSEST])
    const at = alignmentOf(needle, view)
    if (at === undefined) return undefined
    const differs = needle.findIndex((text, i) => view[at + i] !== text)
    return { at, differs: differs < 0 ? needle.length : differs }
  }

  /** Lines of the file with their numbers, for an error. */
  shown(from: number, count: number): { line: number; text: string }[] {
    const start = Math.max(0, from)
    return this.lines.slice(start, from + count).map(({ text }, i) => ({ line: start + i + 1, text: headOf(text, MAX_WIDTH) }))
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

/** The place at which most lines agree, the first of several. Each line of the file votes for a few places: linear time. */
const alignmentOf = (wanted: readonly string[], lines: readonly string[]): number | undefined => {
  const places = new Map<string, number[]>()
  for (const [i, text] of wanted.entries()) {
    if (text === '') continue
    const known = places.get(text)
    if (!known) places.set(text, [i])
    else if (known.length < MAX_VOTES) known.push(i)
  }
  const votes = new Map<number, number>()
  for (const [at, text] of lines.entries()) {
    for (const i of places.get(text) ?? []) votes.set(at - i, (votes.get(at - i) ?? 0) + 1)
  }
  let best: { readonly at: number; readonly count: number } | undefined
  for (const [at, count] of votes) {
    if (!best || count > best.count || (count === best.count && at < best.at)) best = { at, count }
  }
  return best?.at
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
