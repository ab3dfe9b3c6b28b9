// Edits that repair errors in a text. Each is verified: with it, fewer errors are left. Candidates are near names, the operators of other
// languages, and missing or superfluous separators and brackets near the error.

import { nearest } from '@plumb/wire/nearest'
import type { Diagnostic } from '../diagnostic/diagnostic.js'
import type { Source } from '../diagnostic/source.js'
import { RESERVED } from '../parse/cursor.js'
import { MORPHISMS } from '../parse/morphism.js'
import { PRIMITIVES } from '../parse/type.js'
import { type Edit, edited } from './edit.js'
import { fixesOf } from './fixes-of.js'

/** Checks another text instead of the original and returns its errors. */
export type Recheck = (text: string) => readonly Diagnostic[]

/** The default limits of characters and texts that are checked again. */
const MAX_CHARACTERS = 4_000_000
const MAX_TRIES = 400
/** The number of errors for which repairs are searched; near names are known for all. */
const MAX_SEARCHED = 3

/** For the errors of one text; an error that is repaired together with another has none. At most `characters` are checked again. */
export const repairsOf = (
  source: Source,
  errors: readonly Diagnostic[],
  recheck: Recheck,
  characters = MAX_CHARACTERS,
): ReadonlyMap<Diagnostic, Edit> => {
  const own = errors.filter(({ span }) => span.source.path === source.path)
  const named = new Map(
    own.flatMap((d) =>
      fixesOf(d)
        .slice(0, 1)
        .map((fix) => [d, fix] as const),
    ),
  )
  const trial = new Trial(source, own, recheck, characters)
  if (named.size > 0 && trial.errorsWith([...named.values()]) === 0) return named
  const found = new Map<Diagnostic, Edit>()
  for (const [d, fix] of named) if (trial.errorsWith([fix]) < own.length) found.set(d, fix)
  for (const d of own.filter((d) => !found.has(d)).slice(0, MAX_SEARCHED)) {
    const repair = trial.best(candidatesAt(d), [...found.values()])
    if (repair) found.set(d, repair)
    if (repair && trial.errorsWith([repair]) === 0) return new Map([[d, repair]])
  }
  return found
}

class Trial {
  #left: number
  readonly #known = new Map<string, number>()
  /** Further errors are visible only once the text parses. */
  readonly #isUnread: boolean

  constructor(
    private readonly source: Source,
    private readonly before: readonly Diagnostic[],
    private readonly recheck: Recheck,
    characters: number,
  ) {
    this.#isUnread = before.some(({ code }) => code === 'syntax_error')
    this.#left = Math.min(MAX_TRIES, Math.floor(characters / (source.text.length + 1)))
  }

  /**
   * The first candidate without remaining errors, else the one with the fewest; none may touch another repair. Undefined: none has fewer
   * than before.
   */
  best(candidates: Iterable<Edit>, others: readonly Edit[]): Edit | undefined {
    let best: Edit | undefined
    let fewest = this.before.length
    for (const repair of candidates) {
      if (this.#left === 0) break
      if (others.some(({ span }) => span.start < repair.span.end && repair.span.start < span.end)) continue
      const errors = this.errorsWith([repair])
      if (errors >= fewest) continue
      best = repair
      fewest = errors
      if (errors === 0) break
    }
    return best
  }

  errorsWith(repairs: readonly Edit[]): number {
    const text = edited(this.source.text, repairs)
    const known = this.#known.get(text)
    if (known !== undefined) return known
    if (this.#left === 0) return this.before.length
    this.#left--
    const left = this.recheck(text)
    // Another error would hide this one: a text that does not parse is not checked further.
    const isWorse = left.some((d) => !this.before.some(({ code, message }) => code === d.code && message === d.message) && !this.#isUnread)
    const count = isWorse ? this.before.length : left.length
    this.#known.set(text, count)
    return count
  }
}

const TOKEN = /\(\*[\s\S]*?\*\)|\$?"(?:[^"\\\n]|\\.)*"|\w+|->|=>|===?|!==?|\*\*|<>|<<|>>|<=|>=|&&|\|\||\/\/|\S/g
/** Words of the language that a word may be meant to be: those that are words only in one place too. */
const WORDS = [...new Set([...RESERVED, ...MORPHISMS, ...PRIMITIVES, 'as', 'param', 'test', 'untrusted', 'secret', 'from', 'has'])]
const SIGNS: Readonly<Record<string, readonly string[]>> = {
  '==': ['='],
  '===': ['='],
  '!==': ['!='],
  '<>': ['!='],
  '=>': ['->'],
  '->': ['='],
  '&&': ['and'],
  '||': ['or'],
  '=': [':', '->', '!='],
  ':': ['='],
  ';': [','],
  ',': [';'],
  '!': ['not '],
}
const INSERTED = [',', ')', '}', ']', ';', ':', ' =', ' ->', '!', '(', '{', '[', 'let ', 'type ']

interface Token {
  readonly start: number
  readonly end: number
  readonly text: string
}

function* candidatesAt(d: Diagnostic): Generator<Edit> {
  const { source, start } = d.span
  const all: Token[] = [...source.text.matchAll(TOKEN)].map(({ 0: text, index }) => ({ start: index, end: index + text.length, text }))
  const found = all.findIndex(({ end }) => end > start)
  const at = found < 0 ? all.length : found
  const put = ({ start, end }: Pick<Token, 'start' | 'end'>, text: string): Edit => ({ span: { source, start, end }, text })
  // From the position outwards: the mistake is more often before it than after.
  const near = [0, -1, 1, -2, 2, -3, -4].flatMap((by) => all[at + by] ?? [])
  yield* fixesOf(d).map(({ span, text }) => ({ span, text }))
  const expected = /^expected '([^']+)'/.exec(d.message)?.[1]
  if (expected !== undefined) for (const end of [start, endBefore(all, start)]) yield put({ start: end, end }, expected)
  for (const token of near) for (const sign of SIGNS[token.text] ?? []) yield put(token, sign)
  const names = [...new Set(all.filter(({ text }) => /^[A-Za-z_]/.test(text)).map(({ text }) => text))]
  for (const token of near) {
    if (!/^[A-Za-z_]/.test(token.text)) continue
    const others = names.filter((name) => name !== token.text)
    for (const name of new Set([nearest(token.text, WORDS), nearest(token.text, others)]))
      if (name !== undefined && name !== token.text) yield put(token, name)
  }
  const places = [...new Set(near.flatMap(({ start }) => [start, endBefore(all, start)]))]
  if (at === all.length) places.unshift(source.text.trimEnd().length)
  for (const text of INSERTED) for (const place of places) yield put({ start: place, end: place }, text)
  for (const token of near) if (!/^[\w"]/.test(token.text)) yield put(token, '')
  // A missing bracket is often reported long after its place: tries the ends of earlier lines.
  const lines = lineEndsBefore(source.text, start)
  for (const text of ['}', ')', ']']) for (const place of lines) yield put({ start: place, end: place }, text)
}

const endBefore = (all: readonly Token[], start: number): number => all.findLast(({ end }) => end <= start)?.end ?? 0

const MAX_LINES_BEFORE = 12

const lineEndsBefore = (text: string, start: number): readonly number[] => {
  const ends: number[] = []
  for (let at = text.lastIndexOf('\n', start - 1); at > 0 && ends.length < MAX_LINES_BEFORE; at = text.lastIndexOf('\n', at - 1))
    ends.push(at)
  return ends
}
