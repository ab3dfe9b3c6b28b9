// What an operator makes of a value whose type is only known now. `…Of` trusts the checker; `need…` looks, because the value was
// a json.

import { fail, type Site } from './failure.js'
import { exactAt, finite, intAt, numberAt } from './number.js'
import { describe, eachItem, type Held, Slice, stringAt } from './slice.js'
import { compareStrings, countCodePoints } from './text.js'

export const stringOf = (held: Held): string =>
  held instanceof Slice ? stringAt(held.buf, held.start + 1, held.end - 1) : (held as string)
export const numberOf = (held: Held): number => (held instanceof Slice ? numberAt(held.buf, held.start, held.end) : (held as number))
export const intOf = (held: Held, site: Site): number =>
  held instanceof Slice ? intAt(held.buf, held.start, held.end, site) : (held as number)
export const exactOf = (held: Held): number | bigint => (held instanceof Slice ? exactAt(held.buf, held.start, held.end) : (held as number))
export const boolOf = (held: Held): boolean => (held instanceof Slice ? held.buf[held.start] === 116 : (held as boolean))

type Kind = 'string' | 'number' | 'bool' | 'null' | 'object' | 'list'

export const kindOf = (held: Held): Kind => {
  if (typeof held === 'string') return 'string'
  if (typeof held === 'number') return 'number'
  if (typeof held === 'boolean') return 'bool'
  if (held === null) return 'null'
  return KINDS[held.buf[held.start] as number] ?? 'number'
}

const KINDS: Readonly<Record<number, Kind>> = { 34: 'string', 123: 'object', 91: 'list', 116: 'bool', 102: 'bool', 110: 'null' }

const need = (held: Held, kind: Kind, what: string, site: Site): void => {
  if (kindOf(held) !== kind) fail(site, `${describe(held)} is no ${what}`)
}

export const needString = (held: Held, site: Site): string => {
  need(held, 'string', 'string', site)
  return stringOf(held)
}
export const needNumber = (held: Held, site: Site): number => {
  need(held, 'number', 'number', site)
  return numberOf(held)
}
export const needBool = (held: Held, site: Site): boolean => {
  need(held, 'bool', 'bool', site)
  return boolOf(held)
}
export const needIndex = (held: Held, site: Site): number => {
  const n = needNumber(held, site)
  return Number.isInteger(n) ? n : fail(site, `${n} is no index`)
}
export const needStrings = (held: Held, site: Site): string[] => {
  need(held, 'list', 'list of strings', site)
  const strings: string[] = []
  eachItem(held as Slice, (buf, start, end) => strings.push(needString(new Slice(buf, start, end), site)))
  return strings
}
export const needObject = (held: Held, site: Site): Slice => {
  need(held, 'object', 'object', site)
  return held as Slice
}

/** `+` where neither side is known to be a string or a number. */
export const add = (a: Held, b: Held, site: Site): string | number => {
  if (kindOf(a) === 'string') return stringOf(a) + needString(b, site)
  return finite(needNumber(a, site) + needNumber(b, site), site)
}

/** Negative, 0 or positive. */
export const order = (a: Held, b: Held, site: Site): number => {
  if (kindOf(a) === 'string') return compareStrings(stringOf(a), needString(b, site))
  need(a, 'number', 'number or string', site)
  need(b, 'number', 'number', site)
  const x = exactOf(a)
  const y = exactOf(b)
  return x < y ? -1 : x > y ? 1 : 0
}

/** Code points of a string, items of a list. */
export const length = (held: Held, site: Site): number => {
  const kind = kindOf(held)
  if (kind === 'string') return countCodePoints(stringOf(held))
  if (kind !== 'list') fail(site, `${describe(held)} is neither a string nor a list`)
  return eachItem(held as Slice, () => {})
}
