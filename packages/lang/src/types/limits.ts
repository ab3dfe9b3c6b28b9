// @min and @max of a field: what numbers, how long a string (in code points), how many items of a list. They are part of the check at every
// boundary and of nothing else: two types that differ in them are equal, and each may be wired into the other; the receiver looks.

import { type Field, type NamedType, resolve, type Type } from './type.js'
import { variantsOf } from './variants.js'

/** Kinds of values that limits are about, as bits. */
export const LIMITED = { number: 1, string: 2, list: 4 } as const

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
  if (kind === 'int' || kind === 'number') return LIMITED.number
  if (kind === 'string') return LIMITED.string
  return kind === 'array' ? LIMITED.list : 0
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
