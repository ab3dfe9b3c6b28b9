// Converts operands whose type is only known at run time. `…Of` trusts the checker; `need…` checks, because the value was a json.

import { countItems, eachItem } from '@plumb/wire/json'
import { failEvaluation, type Site } from './failure.js'
import { exactAt, intAt, numberAt, parseNumberAt } from './number.js'
import { describe, type RuntimeValue, Slice, stringAt } from './slice.js'
import { compareStrings, countCodePoints } from './text.js'

export const stringOfValue = (value: RuntimeValue): string =>
  value instanceof Slice ? stringAt(value.buf, value.start + 1, value.end - 1) : (value as string)
export const numberOf = (value: RuntimeValue, site: Site): number =>
  value instanceof Slice ? numberAt(value.buf, value.start, value.end, site) : (value as number)
/** Of any size: a double that is near. */
const realOf = (value: RuntimeValue): number =>
  value instanceof Slice ? parseNumberAt(value.buf, value.start, value.end) : (value as number)
export const intOf = (value: RuntimeValue, site: Site): number =>
  value instanceof Slice ? intAt(value.buf, value.start, value.end, site) : (value as number)
export const exactOf = (value: RuntimeValue): number | bigint =>
  value instanceof Slice ? exactAt(value.buf, value.start, value.end) : (value as number)
export const boolOf = (value: RuntimeValue): boolean => (value instanceof Slice ? value.buf[value.start] === 116 : (value as boolean))

type Kind = 'string' | 'number' | 'bool' | 'null' | 'object' | 'list'

export const kindOfValue = (value: RuntimeValue): Kind => {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'bool'
  if (value === null) return 'null'
  return KINDS[value.buf[value.start] as number] ?? 'number'
}

const KINDS: Readonly<Record<number, Kind>> = { 34: 'string', 123: 'object', 91: 'list', 116: 'bool', 102: 'bool', 110: 'null' }

const expectKind = (value: RuntimeValue, kind: Kind, what: string, site: Site): void => {
  if (kindOfValue(value) !== kind) failEvaluation(site, `${describe(value)} is not ${what}`)
}

export const expectString = (value: RuntimeValue, site: Site): string => {
  expectKind(value, 'string', 'a string', site)
  return stringOfValue(value)
}
export const expectNumber = (value: RuntimeValue, site: Site): number => {
  expectKind(value, 'number', 'a number', site)
  return numberOf(value, site)
}
export const expectReal = (value: RuntimeValue, site: Site): number => {
  expectKind(value, 'number', 'a number', site)
  return realOf(value)
}
/** A number as it is written. */
export const expectNumeric = (value: RuntimeValue, site: Site): RuntimeValue => {
  expectKind(value, 'number', 'a number', site)
  return value
}
export const expectBool = (value: RuntimeValue, site: Site): boolean => {
  expectKind(value, 'bool', 'a bool', site)
  return boolOf(value)
}
export const expectIndex = (value: RuntimeValue, site: Site): number => {
  const n = expectNumber(value, site)
  return Number.isInteger(n) ? n : failEvaluation(site, `${n} is not an index`)
}
export const expectInt = (value: RuntimeValue, site: Site): number => {
  const n = expectNumber(value, site)
  return Number.isInteger(n) ? n : failEvaluation(site, `${n} is not an int`)
}
export const expectList = (value: RuntimeValue, site: Site): Slice => {
  expectKind(value, 'list', 'a list', site)
  return value as Slice
}
export const expectStrings = (value: RuntimeValue, site: Site): string[] => {
  expectKind(value, 'list', 'a list of strings', site)
  const { buf, start } = value as Slice
  const strings: string[] = []
  eachItem(buf, start, (start, end) => strings.push(expectString(new Slice(buf, start, end), site)))
  return strings
}
export const expectObject = (value: RuntimeValue, site: Site): Slice => {
  expectKind(value, 'object', 'an object', site)
  return value as Slice
}

/** Negative, 0 or positive. */
export const order = (a: RuntimeValue, b: RuntimeValue, site: Site): number => {
  if (kindOfValue(a) === 'string') return compareStrings(stringOfValue(a), expectString(b, site))
  expectKind(a, 'number', 'a number or a string', site)
  expectKind(b, 'number', 'a number', site)
  const x = exactOf(a)
  const y = exactOf(b)
  return x < y ? -1 : x > y ? 1 : 0
}

/** Code points of a string, items of a list. */
export const length = (value: RuntimeValue, site: Site): number => {
  const kind = kindOfValue(value)
  if (kind === 'string') return countCodePoints(stringOfValue(value))
  if (kind !== 'list') failEvaluation(site, `${describe(value)} is neither a string nor a list`)
  const { buf, start } = value as Slice
  return countItems(buf, start)
}
