// The fields that every value of a type has: those of a record, and the common ones of a sum of records.

import { unite } from '../../types/join.js'
import { fieldName } from '../../types/print.js'
import { fieldOf, isPresent } from '../../types/required-fields.js'
import type { Type } from '../../types/type.js'
import { variantsOf } from '../../types/variants.js'
import type { Fact } from './context.js'

type Fields = ReadonlyMap<string, Fact> | undefined

/** Undefined: the type is not a record, or not all its variants are. A default counts as present. */
export const fieldsOf = (type: Type): Fields => {
  if (!known.has(type)) known.set(type, findFields(type))
  return known.get(type)
}

// Cached, since every name of every expression asks; types do not change once they are resolved.
const known = new WeakMap<Type, Fields>()

const findFields = (type: Type): Fields => {
  const records = variantsOf(type).flatMap((v) => (v.kind === 'record' ? [v] : []))
  const [first] = records
  if (!first || records.length < variantsOf(type).length) return undefined
  const common = new Map<string, Fact>()
  for (const { name } of first.fields) {
    const fields = records.flatMap((record) => fieldOf(record, name) ?? [])
    if (fields.length < records.length) continue
    const absence = fields.every(isPresent) ? 'never' : 'maybe'
    common.set(name, { type: unite(fields.map((field) => field.type)), absence })
  }
  return common
}

/** The fields that some record of a sum has; each may be absent. Undefined where another variant may have one of any name. */
export const someFieldsOf = (type: Type): Fields => {
  const variants = variantsOf(type)
  const records = variants.flatMap((v) => (v.kind === 'record' ? [v] : []))
  if (records.length === 0 || records.length < variants.length) return undefined
  const found = new Map<string, Fact>()
  for (const name of new Set(records.flatMap((record) => record.fields.map((field) => field.name)))) {
    const fields = records.flatMap((record) => fieldOf(record, name) ?? [])
    if (records.some((record) => record.isOpen && !fieldOf(record, name))) continue
    const absence = fields.length === records.length && fields.every(isPresent) ? 'never' : 'maybe'
    found.set(name, { type: unite(fields.map((field) => field.type)), absence })
  }
  return found
}

/** Under `??`: null is as good as absent. */
export const withoutNull = (fact: Fact): Fact => {
  const variants = variantsOf(fact.type)
  const rest = variants.filter(({ kind }) => kind !== 'unit')
  const [only] = rest
  if (rest.length === variants.length) return fact
  return { type: only && rest.length === 1 ? only : { kind: 'sum', variants: rest }, absence: 'maybe', mayBeNull: true }
}

/** Of a field that an open record does not declare. */
export const helpForOpen = (name: string, type: Type): string | undefined =>
  variantsOf(type).some((variant) => variant.kind === 'record' && variant.isOpen)
    ? `what '...' holds has no names: declare the field, as in ${fieldName(name)}?: json`
    : undefined

/** Of a field that only some of the variants have. */
export const helpForVariant = (name: string, type: Type): string | undefined =>
  someFieldsOf(type)?.has(name)
    ? 'some of its variants have it: ask for it first, by has(…), by what tells the variants apart, or by match'
    : undefined
