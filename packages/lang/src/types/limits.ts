// @min and @max of a field: what numbers, how long a string (in code points), how many items of a list. They are part of the check at every
// boundary and of nothing else: two types that differ in them are equal, and each may be wired into the other; the receiver looks.

import { preview } from '@plumb/wire/preview'
import { latin1, space, value } from '../scan/scan-json.js'
import type { Tree } from '../scan/tree.js'
import type { Mismatch } from '../validate/mismatch.js'
import { type Field, type NamedType, resolve, type Type } from './type.js'
import { variantsOf } from './variants.js'

const NUMBER = 1
const STRING = 2
const LIST = 4

export interface Limits {
  readonly min: number
  readonly max: number
  /** Of which kinds of values they are said: bits. */
  readonly kinds: number
}

/** Undefined: it has none. */
export const limitsOf = ({ type, min, max }: Field): Limits | undefined =>
  min === undefined && max === undefined
    ? undefined
    : { min: min ?? Number.NEGATIVE_INFINITY, max: max ?? Number.POSITIVE_INFINITY, kinds: limitedKinds(type) }

/** 0: nothing in the type can have a limit. */
export const limitedKinds = (type: Type): number => variantsOf(type).reduce((kinds, variant) => kinds | kindOf(variant), 0)

const kindOf = ({ kind }: Type): number => {
  if (kind === 'int' || kind === 'number') return NUMBER
  if (kind === 'string') return STRING
  return kind === 'array' ? LIST : 0
}

/** Is the JSON text `buf[start..end)`, of the field's type, within its limits? */
export const within = (buf: Uint8Array, start: number, end: number, min: number, max: number, kinds: number): boolean => {
  const size = sizeOf(buf, start, end, kinds)
  return size === undefined || (size >= min && size <= max)
}

const sizeOf = (buf: Uint8Array, start: number, end: number, kinds: number): number | undefined => {
  const c = buf[start] as number
  if (c === 34) return kinds & STRING ? countCodePoints(buf, start + 1, end - 1) : undefined
  if (c === 91) return kinds & LIST ? countItems(buf, start) : undefined
  return kinds & NUMBER && (c === 45 || (c > 47 && c < 58)) ? Number(latin1(buf, start, end)) : undefined
}

const BACKSLASH = 92

// Between the quotes. Half a surrogate pair that stands alone is one, as in a string of JavaScript.
const countCodePoints = (buf: Uint8Array, start: number, end: number): number => {
  let count = 0
  for (let i = start; i < end; count++) {
    if (buf[i] !== BACKSLASH) {
      i++
      // The other bytes of the code point.
      while (((buf[i] as number) & 0xc0) === 0x80) i++
    } else if (buf[i + 1] !== 0x75) i += 2
    else i += isHigh(buf, i) && buf[i + 6] === BACKSLASH && buf[i + 7] === 0x75 && isLow(buf, i + 6) ? 12 : 6
  }
  return count
}

const unitAt = (buf: Uint8Array, at: number): number => Number.parseInt(latin1(buf, at + 2, at + 6), 16)
const isHigh = (buf: Uint8Array, at: number): boolean => (unitAt(buf, at) & 0xfc00) === 0xd800
const isLow = (buf: Uint8Array, at: number): boolean => (unitAt(buf, at) & 0xfc00) === 0xdc00

// Whoever asks has looked how deep it is.
const ANY_DEPTH = -1000

const countItems = (buf: Uint8Array, start: number): number => {
  let i = space(buf, start + 1)
  if (buf[i] === 93) return 0
  for (let count = 1; ; count++) {
    i = space(buf, value(buf, i, ANY_DEPTH))
    if (buf[i] !== 44) return count
    i = space(buf, i + 1)
  }
}

/** Why a value of the field's type is outside its limits; undefined where it is not. */
export const findExcess = (field: Field, buf: Buffer, node: Tree): Mismatch | undefined => {
  const limits = limitsOf(field)
  if (!limits) return undefined
  const size = sizeOfTree(node, buf, limits.kinds)
  if (size === undefined || (size >= limits.min && size <= limits.max)) return undefined
  const broken = size < limits.min ? `less than '@min ${limits.min}'` : `more than '@max ${limits.max}'`
  const text = buf.toString('utf8', node.start, Math.min(node.end, node.start + 12 * MAX_SHOWN))
  const found = preview(text, MAX_SHOWN)
  const measure =
    node.kind === 'string' ? `has ${counted(size, 'character')}` : node.kind === 'array' ? `has ${counted(size, 'item')}` : 'is'
  return {
    path: '',
    expected: size < limits.min ? `at least ${limits.min}` : `at most ${limits.max}`,
    found,
    reason: `${found} ${measure}${node.kind === 'number' ? '' : ','} ${broken}`,
    isExcess: true,
  }
}

const MAX_SHOWN = 80

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`

const sizeOfTree = (node: Tree, buf: Buffer, kinds: number): number | undefined => {
  if (node.kind === 'array') return kinds & LIST ? node.items.length : undefined
  return sizeOf(buf, node.start, node.end, kinds)
}

/** Does what keeps the limits of one field keep those of the other? */
export const keepsLimits = (source: Field, target: Field): boolean => {
  const limits = limitsOf(target)
  if (!limits || (mayHave(source.type) & limits.kinds) === 0) return true
  const own = limitsOf(source)
  return own !== undefined && own.min >= limits.min && own.max <= limits.max && (mayHave(source.type) & limits.kinds & ~own.kinds) === 0
}

// Literals and tuples are strings and lists, of which nothing is said.
const mayHave = (type: Type): number =>
  variantsOf(type).reduce((kinds, v) => kinds | kindOf(v) | (v.kind === 'literal' ? STRING : v.kind === 'tuple' ? LIST : 0), 0)

/** The same type where nothing is said of any field. */
export const withoutLimits = (type: Type): Type => {
  const known = new Map<Type, Type>()
  const strip = (t: Type): Type => {
    const found = known.get(t)
    if (found) return found
    if (t.kind === 'named') {
      const named: NamedType = { kind: 'named', name: t.name, target: t.target }
      known.set(t, named)
      named.target = strip(t.target)
      return named
    }
    const stripped = without(t)
    known.set(t, stripped)
    return stripped
  }
  const without = (t: Exclude<Type, NamedType>): Type => {
    switch (t.kind) {
      case 'record':
        return { kind: 'record', fields: t.fields.map(({ min: _, max: __, ...field }) => ({ ...field, type: strip(field.type) })) }
      case 'array':
        return { kind: 'array', item: strip(t.item) }
      case 'tuple':
        return { kind: 'tuple', items: t.items.map(strip) }
      case 'sum':
        return { kind: 'sum', variants: t.variants.map(strip) }
      default:
        return t
    }
  }
  return hasLimits(type) ? strip(type) : type
}

export const hasLimits = (type: Type): boolean => {
  const reached = new Set([resolve(type)])
  const add = (part: Type) => reached.add(resolve(part))
  // In a loop, as the search for defaults.
  for (const t of reached) {
    if (t.kind === 'record') {
      if (t.fields.some((field) => limitsOf(field) !== undefined)) return true
      for (const field of t.fields) add(field.type)
    } else if (t.kind === 'array') add(t.item)
    else if (t.kind === 'tuple') t.items.forEach(add)
    else if (t.kind === 'sum') t.variants.forEach(add)
  }
  return false
}
