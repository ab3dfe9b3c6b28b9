// What to put between two types that do not fit: the help of a mismatch.

import { isSubtype } from '../types/subtype.js'
import { resolve, type Type } from '../types/type.js'

export const conversion = (source: Type, target: Type): string | undefined => {
  const from = resolve(source)
  const to = resolve(target)
  if (from.kind === 'record' && to.kind !== 'record') {
    const field = from.fields.find((f) => !f.isOptional && isSubtype(f.type, target))
    if (field) return `take the field: '.${field.name}'`
  }
  if (to.kind === 'string') return "convert in between: '; map(text(value))'"
  if ((from.kind === 'string' || from.kind === 'literal') && to.kind === 'number') return "convert in between: '; map(number(value))'"
  if ((from.kind === 'string' || from.kind === 'literal') && to.kind === 'int') return "convert in between: '; map(round(number(value)))'"
  if (from.kind === 'number' && to.kind === 'int') return "convert in between: '; map(round(value))', or floor or ceil"
  if (to.kind === 'array' && isSubtype(source, to.item)) return "make a list of it: '; map([value])'"
  return undefined
}
