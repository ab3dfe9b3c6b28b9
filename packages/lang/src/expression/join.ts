// The type of what may be of one type or of another.

import { findShared } from '../types/disjoint.js'
import type { Type } from '../types/type.js'
import { variantsOf } from '../types/variants.js'
import { isWirable } from '../types/wirable.js'

/** The least common type: one of the two, or the sum of both; undefined when the variants of that sum would overlap. */
export const join = (a: Type, b: Type): Type | undefined => {
  if (isWithin(a, b)) return b
  if (isWithin(b, a)) return a
  const type = unite([a, b])
  const variants = variantsOf(type)
  const isDisjoint = variants.every((x, i) => variants.slice(0, i).every((y) => findShared(x, y) === undefined))
  return isDisjoint ? type : undefined
}

/** The sum of all variants, without those that others include. They may overlap: it says what a part can be, and is never a declared type. */
export const unite = (types: readonly Type[]): Type => {
  const [first, ...others] = types
  if (first && others.every((type) => isWithin(type, first))) return first
  const variants: Type[] = []
  for (const variant of types.flatMap(variantsOf)) {
    if (variants.some((other) => isWithin(variant, other))) continue
    variants.splice(0, variants.length, ...variants.filter((other) => !isWithin(other, variant)), variant)
  }
  const [only] = variants
  return only && variants.length === 1 ? only : { kind: 'sum', variants }
}

// A subtype that also has every field which a default would have filled in.
const isWithin = (a: Type, b: Type): boolean => isWirable(a, b) === 'static'
