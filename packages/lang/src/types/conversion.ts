// Suggests a conversion between two types that do not match: the help of a mismatch.

import { preview } from '@plumb/wire/preview'
import { printType } from './print.js'
import { fieldOf, isPresent, isRequired } from './required-fields.js'
import { isCompatible, isSubtype } from './subtype.js'
import { JSON_TYPE, type RecordType, resolve, type Type } from './type.js'

export const conversion = (source: Type, target: Type): string | undefined => {
  const from = resolve(source)
  const to = resolve(target)
  if (from.kind === 'record' && to.kind !== 'record') {
    const field = from.fields.find((f) => !f.isOptional && isSubtype(f.type, target))
    if (field) return `take the field: '.${field.name}'`
  }
  if (from.kind === 'record' && to.kind === 'record') return differences(from, to)
  if (from.kind === 'record' && to.kind === 'map') {
    const others = from.isOpen && !isSubtype(JSON_TYPE, to.item) ? ["the fields behind its '...' may hold anything"] : []
    return firstOf([
      ...from.fields.flatMap(({ name, type }) =>
        isCompatible(type, to.item) ? [] : [`'${name}' is '${show(type)}', wanted is '${show(to.item)}'`],
      ),
      ...others,
    ])
  }
  if (to.kind === 'tuple' && to.items.length > 1 && from.kind !== 'tuple' && from.kind !== 'array')
    return `'(${to.items.map((_, i) => String.fromCharCode(97 + i)).join(' * ')}) ; barrier' joins what belongs together`
  if (to.kind === 'string') return "convert in between: '; map(text(value))'"
  if ((from.kind === 'string' || from.kind === 'literal') && to.kind === 'number') return "convert in between: '; map(number(value))'"
  if ((from.kind === 'string' || from.kind === 'literal') && to.kind === 'int') return "convert in between: '; map(round(number(value)))'"
  if (from.kind === 'number' && to.kind === 'int') return "convert in between: '; map(round(value))', or floor or ceil"
  if (to.kind === 'array' && isSubtype(source, to.item)) return "make a list of it: '; map([value])'"
  return undefined
}

/** Field by field, the first few of them. */
const differences = (from: RecordType, to: RecordType): string | undefined => {
  const found = [
    ...(from.isOpen && !to.isOpen ? ["it may hold other fields, as the '...' of its type says"] : []),
    ...from.fields.flatMap((field) => {
      const wanted = fieldOf(to, field.name)
      if (!wanted) return to.isOpen ? [] : [`'${field.name}' is unknown there`]
      return isCompatible(field.type, wanted.type) ? [] : [`'${field.name}' is '${show(field.type)}', wanted is '${show(wanted.type)}'`]
    }),
    ...to.fields.filter(isRequired).flatMap(({ name }) => {
      const given = fieldOf(from, name)
      if (!given) return [`'${name}' is missing`]
      return isPresent(given) ? [] : [`'${name}' may be absent`]
    }),
    ...to.fields.flatMap((field) =>
      from.isOpen && !isRequired(field) && !fieldOf(from, field.name)
        ? [`'${field.name}' is not declared: behind the '...' it may be anything, wanted is '${show(field.type)}'`]
        : [],
    ),
  ]
  return firstOf(found)
}

const firstOf = (differences: readonly string[]): string | undefined =>
  differences.length === 0
    ? undefined
    : `${differences.slice(0, MAX_DIFFERENCES).join('; ')}${differences.length > MAX_DIFFERENCES ? '; …' : ''}`

const MAX_DIFFERENCES = 4
const show = (type: Type): string => preview(printType(type))
