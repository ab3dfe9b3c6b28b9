// The variants of a type, seen through names and sums within sums. A type that is not a sum is its own one variant.

import { resolve, type SumType, type Type } from './type.js'

/** A type that stands for itself: neither a name nor a sum. */
export type Variant = Exclude<ReturnType<typeof resolve>, SumType>

/** In the order written. A sum that is a variant of itself adds nothing. */
export const variantsOf = (type: Type): readonly Variant[] => {
  const t = resolve(type)
  if (t.kind !== 'sum') return [t]
  const variants: Variant[] = []
  const seen = new Set<SumType>()
  const add = (sum: SumType): void => {
    if (seen.has(sum)) return
    seen.add(sum)
    for (const variant of sum.variants) {
      const v = resolve(variant)
      if (v.kind === 'sum') add(v)
      else variants.push(v)
    }
  }
  add(t)
  return variants
}

/** Can plain text be meant where a value of the type is due? */
export const takesText = (type: Type): boolean =>
  variantsOf(type).some(({ kind }) => kind === 'string' || kind === 'literal' || kind === 'json')

/** The strings of an enum; undefined when the type has any other variant. */
export const literalsOf = (type: Type): readonly string[] | undefined => {
  const literals: string[] = []
  for (const variant of variantsOf(type)) {
    if (variant.kind !== 'literal') return undefined
    literals.push(variant.value)
  }
  return literals
}
