// The smallest values of types whose fields may have limits. A recursive type may have no finite value, or none within its limits, so the
// sizes are a least fixed point: they are recomputed until none gets smaller.

import { limitsOf, type ValueLimits } from '../types/limits.js'
import { typesWithin } from '../types/parts.js'
import { isRequired } from '../types/required-fields.js'
import { type Field, resolve, type Type } from '../types/type.js'
import { type Variant, variantsOf } from '../types/variants.js'
import { numberBounds, sizeBounds } from './bounds.js'
import { leastNumber } from './number-edges.js'

/** The approximate length of its smallest value as JSON; infinite if it has none. */
export interface Sizes {
  readonly of: (part: TypePart) => number
  readonly ofVariant: (variant: Variant, limits: ValueLimits | undefined) => number
}

/** A place for a value: an item of some type, or a field with its limits. */
export type TypePart = Type | Field

const isField = (part: TypePart): part is Field => !('kind' in part)

export const typeOfPart = (part: TypePart): Type => (isField(part) ? part.type : part)
export const limitsOfPart = (part: TypePart): ValueLimits | undefined => (isField(part) ? limitsOf(part) : undefined)

export const openSizes = (root: Type): Sizes => {
  const sizes = new Map<TypePart, number>()
  const of = (part: TypePart): number => sizes.get(isField(part) ? part : resolve(part)) ?? Number.POSITIVE_INFINITY
  const ofVariant = (variant: Variant, limits: ValueLimits | undefined): number => sizeOf(variant, limits, of)
  const types = [...typesWithin(root)]
  const parts: TypePart[] = [...types, ...types.flatMap((type) => (type.kind === 'record' ? type.fields : []))].reverse()
  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false
    for (const part of parts) {
      const limits = limitsOfPart(part)
      const size = variantsOf(typeOfPart(part)).reduce((least, variant) => Math.min(least, ofVariant(variant, limits)), of(part))
      if (size < of(part)) {
        sizes.set(part, size)
        hasChanged = true
      }
    }
  }
  return { of, ofVariant }
}

const sizeOf = (variant: Variant, limits: ValueLimits | undefined, of: (part: TypePart) => number): number => {
  switch (variant.kind) {
    case 'string':
      return (sizeBounds('string', limits)?.least ?? Number.POSITIVE_INFINITY) + 2
    case 'literal':
      return keeps('string', [...variant.value].length, limits) ? variant.value.length + 2 : Number.POSITIVE_INFINITY
    case 'int':
    case 'number':
      return numberBounds(variant.kind, limits) ? 1 : Number.POSITIVE_INFINITY
    case 'array': {
      const least = sizeBounds('list', limits)?.least
      if (least === undefined) return Number.POSITIVE_INFINITY
      return least === 0 ? 2 : 2 + least * (of(variant.item) + 1)
    }
    case 'tuple':
      if (!keeps('list', variant.items.length, limits)) return Number.POSITIVE_INFINITY
      return variant.items.reduce((size, item) => size + of(item) + 1, 1)
    case 'record':
      return variant.fields.filter(isRequired).reduce((size, field) => size + field.name.length + of(field) + 4, 2)
    case 'map':
      return 2
    case 'bool':
    case 'unit':
    case 'json':
      return 4
  }
}

const keeps = (kind: 'string' | 'list', size: number, limits: ValueLimits | undefined): boolean => {
  const bounds = sizeBounds(kind, limits)
  return bounds !== undefined && size >= bounds.least && size <= bounds.most
}

/** The variants that have a value within the limits, with the sizes of their smallest. */
export const possibleVariants = (part: TypePart, sizes: Sizes): readonly { readonly variant: Variant; readonly size: number }[] => {
  const limits = limitsOfPart(part)
  return variantsOf(typeOfPart(part))
    .map((variant) => ({ variant, size: sizes.ofVariant(variant, limits) }))
    .filter(({ size }) => size < Number.POSITIVE_INFINITY)
}

/** JSON text of a smallest value, which must exist. */
export const leastValue = (part: TypePart, sizes: Sizes): string => {
  const possible = possibleVariants(part, sizes)
  const least = possible.reduce((best, one) => (one.size < best.size ? one : best))
  return leastOfVariant(least.variant, limitsOfPart(part), sizes)
}

export const leastOfVariant = (variant: Variant, limits: ValueLimits | undefined, sizes: Sizes): string => {
  switch (variant.kind) {
    case 'string':
      return JSON.stringify('a'.repeat(sizeBounds('string', limits)?.least ?? 0))
    case 'literal':
      return JSON.stringify(variant.value)
    case 'int':
    case 'number':
      return leastNumber(variant.kind, numberBounds(variant.kind, limits))
    case 'array': {
      const count = sizeBounds('list', limits)?.least ?? 0
      return count === 0 ? '[]' : `[${Array(count).fill(leastValue(variant.item, sizes)).join(',')}]`
    }
    case 'tuple':
      return `[${variant.items.map((item) => leastValue(item, sizes)).join(',')}]`
    case 'record':
      return objectText(variant.fields.filter(isRequired).map((field) => [field.name, leastValue(field, sizes)]))
    case 'map':
      return '{}'
    case 'bool':
      return 'false'
    case 'unit':
    case 'json':
      return 'null'
  }
}

export const objectText = (members: readonly (readonly [key: string, json: string])[]): string =>
  `{${members.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`
