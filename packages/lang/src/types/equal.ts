// Whether two types are the same, regardless of names and of the order of fields and variants.

import { unreachable } from '../diagnostic/unreachable.js'
import { candidatesAmong } from './candidates.js'
import { coinductive } from './coinductive.js'
import { fieldOf } from './required-fields.js'
import type { Field, RecordType, Type } from './type.js'
import { variantsOf } from './variants.js'

/** The same values with the same defaults. Annotations (description, min, max) do not matter. */
export const isEqual = coinductive((a, b, holds) => {
  if (a.kind === 'sum' || b.kind === 'sum') {
    const left = variantsOf(a)
    const right = variantsOf(b)
    return left.every(isIn(right, (x, y) => holds(x, y))) && right.every(isIn(left, (y, x) => holds(x, y)))
  }
  switch (a.kind) {
    case 'literal':
      return b.kind === 'literal' && a.value === b.value
    case 'record':
      return b.kind === 'record' && areFieldsEqual(a, b, holds)
    case 'array':
    case 'map':
      return b.kind === a.kind && holds(a.item, b.item)
    case 'tuple':
      return b.kind === 'tuple' && a.items.length === b.items.length && b.items.every((item, i) => holds(a.items[i] ?? item, item))
    case 'string':
    case 'int':
    case 'number':
    case 'bool':
    case 'unit':
    case 'json':
      return a.kind === b.kind
    default:
      return unreachable(a)
  }
})

const isIn = (variants: readonly Type[], isSame: (one: Type, other: Type) => boolean): ((one: Type) => boolean) => {
  const among = candidatesAmong(variants)
  return (one) => among(one).some((i) => isSame(one, variants[i] as Type))
}

const areFieldsEqual = (a: RecordType, b: RecordType, holds: (a: Type, b: Type) => boolean): boolean =>
  (a.isOpen ?? false) === (b.isOpen ?? false) &&
  a.fields.length === b.fields.length &&
  a.fields.every((field) => {
    const other = fieldOf(b, field.name)
    return other !== undefined && whenAbsent(field) === whenAbsent(other) && holds(field.type, other.type)
  })

// `c: int = 3` and `c?: int = 3.0` say the same.
const whenAbsent = (field: Field): string => {
  if (field.default !== undefined) return `= ${JSON.stringify(JSON.parse(field.default))}`
  return field.isOptional ? 'nothing' : 'mismatch'
}
