// @min and @max of a field: bounds of numbers, of the length of strings (in code points), of the number of items of lists. They are checked
// at every boundary and nowhere else: two types that differ in them are equal, and each may be wired into the other; the receiver checks.

import { mapParts, typesWithin } from './parts.js'
import type { Field, NamedType, Type } from './type.js'
import { variantsOf } from './variants.js'

/** Kinds of values that limits are about, as bits. */
export const LIMITED = { number: 1, string: 2, list: 4 } as const

export interface ValueLimits {
  readonly min: number
  readonly max: number
  /** The kinds of values that they apply to: bits. */
  readonly kinds: number
}

/** Undefined: it has none. */
export const limitsOf = ({ type, min, max }: Field): ValueLimits | undefined =>
  min === undefined && max === undefined
    ? undefined
    : { min: min ?? Number.NEGATIVE_INFINITY, max: max ?? Number.POSITIVE_INFINITY, kinds: limitedKinds(type) }

/** 0: nothing in the type can have a limit. */
export const limitedKinds = (type: Type): number => variantsOf(type).reduce((kinds, variant) => kinds | kindOf(variant), 0)

const kindOf = ({ kind }: Type): number => {
  if (kind === 'int' || kind === 'number') return LIMITED.number
  if (kind === 'string') return LIMITED.string
  return kind === 'array' ? LIMITED.list : 0
}

/** Whether the limits of one field imply those of the other. */
export const keepsLimits = (source: Field, target: Field): boolean => {
  const limits = limitsOf(target)
  if (!limits || (mayHave(source.type) & limits.kinds) === 0) return true
  const own = limitsOf(source)
  return own !== undefined && own.min >= limits.min && own.max <= limits.max && (mayHave(source.type) & limits.kinds & ~own.kinds) === 0
}

// Literals and tuples are strings and lists, of which nothing is said.
const mayHave = (type: Type): number =>
  variantsOf(type).reduce(
    (kinds, v) => kinds | kindOf(v) | (v.kind === 'literal' ? LIMITED.string : v.kind === 'tuple' ? LIMITED.list : 0),
    0,
  )

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
    const stripped = mapParts(t.kind === 'record' ? { ...t, fields: t.fields.map(withoutLimit) } : t, strip)
    known.set(t, stripped)
    return stripped
  }
  return hasLimits(type) ? strip(type) : type
}

const withoutLimit = ({ min: _, max: __, ...field }: Field): Field => field

export const hasLimits = (type: Type): boolean => {
  for (const t of typesWithin(type)) if (t.kind === 'record' && t.fields.some((field) => limitsOf(field) !== undefined)) return true
  return false
}
