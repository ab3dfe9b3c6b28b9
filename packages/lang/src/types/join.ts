// The common type of two types.

import { candidatesAmong } from './candidates.js'
import { findOverlap } from './disjoint.js'
import { hasLimits, withoutLimits } from './limits.js'
import type { Type } from './type.js'
import { variantsOf } from './variants.js'
import { isWirable } from './wirable.js'

/** The least common type: one of the two, or the sum of both. Undefined: the variants of that sum would overlap. */
export const join = (a: Type, b: Type): Type | undefined => {
  if (isWithin(a, b)) return b
  if (isWithin(b, a)) return a
  const type = unite([a, b])
  if (!findOverlap(variantsOf(type))) return type
  // A joined type keeps the limits of neither.
  return hasLimits(a) || hasLimits(b) ? join(withoutLimits(a), withoutLimits(b)) : undefined
}

/** As `join`, of one after the other. */
export const joinAll = (types: readonly Type[]): Type | undefined => {
  const [first, ...others] = types
  if (others.length === 0) return first
  // Disjoint ones are added: none of them includes another.
  const variants = types.flatMap(variantsOf)
  if (!findOverlap(variants)) return { kind: 'sum', variants }
  return others.reduce<Type | undefined>((all, other) => all && join(all, other), first)
}

/** The sum of all variants, without those that others include. They may overlap: it is used for inference, never as a declared type. */
export const unite = (types: readonly Type[]): Type => {
  const [first, ...others] = types
  if (first && others.every((type) => isWithin(type, first))) return first
  const variants = types.flatMap(variantsOf)
  const among = candidatesAmong(variants)
  const kept = new Set<number>()
  for (const [i, variant] of variants.entries()) {
    const near = among(variant).flatMap((j) => (kept.has(j) ? [[j, variants[j] as Type] as const] : []))
    if (near.some(([, other]) => isWithin(variant, other))) continue
    for (const [j, other] of near) if (isWithin(other, variant)) kept.delete(j)
    kept.add(i)
  }
  const united = [...kept].map((i) => variants[i] as Type)
  const [only] = united
  return only && united.length === 1 ? only : { kind: 'sum', variants: united }
}

// Prefers a subtype that also has every defaulted field.
const isWithin = (a: Type, b: Type): boolean => isWirable(a, b) === 'static'
