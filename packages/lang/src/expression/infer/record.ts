// Records: `{ a: e, ...r }`; with a map among its parts, or a computed key, a map.

import type { Expression, Name, RecordExpression } from '../../parse/ast.js'
import { joinAll } from '../../types/join.js'
import { isJson, isNever, isString, mapsOf, objectsOf } from '../../types/kind.js'
import { isPresent } from '../../types/required-fields.js'
import { type Field, JSON_TYPE, type Type } from '../../types/type.js'
import { type Variant, variantsOf } from '../../types/variants.js'
import { type Context, type Fact, show } from './context.js'
import { fieldsOf } from './fields.js'
import { joinOrComplain } from './join.js'

interface Shape {
  readonly fields: Map<string, Fact>
  /** It may have others. */
  readonly isOpen: boolean
}

/** One record for each combination of the variants of spread sums; json once a json is spread. */
export const inferRecord = (e: RecordExpression, context: Context): Type | undefined => {
  const parts = e.parts.map((part) => {
    if (part.kind === 'field' && part.isShorthand && part.value.kind === 'name') context.shorthands.add(part.value)
    if (part.kind === 'computed') inferKey(part.key, context)
    return { part, type: context.infer(part.kind === 'spread' ? part.of : part.value) }
  })
  const isWrong = hasDuplicates(e, context)
  const known = parts.flatMap(({ part, type }) =>
    type && !(part.kind === 'computed' && !context.facts.has(part.key)) ? [{ part, type }] : [],
  )
  if (known.length < parts.length || isWrong) return undefined
  if (
    known.some(({ part, type }) => part.kind === 'computed' || (part.kind === 'spread' && !isJson(type) && !isNever(type) && mapsOf(type)))
  )
    return inferMap(e, known, context)
  return inferFields(e, known, context)
}

type Parts = readonly { readonly part: RecordExpression['parts'][number]; readonly type: Type }[]

const inferKey = (e: Expression, context: Context): void => {
  const key = context.infer(e)
  if (!key || isString(key) || isJson(key)) return
  context.facts.delete(e)
  context.complain('type_mismatch', e.span, `a computed key is a string, but this is ${show(key)}`, {
    help: `text(…) makes it a string`,
  })
}

const refuseSpread = (e: Expression, type: Type, what: string, context: Context): undefined =>
  context.complain('type_mismatch', e.span, `'...' spreads ${what}, but this is ${show(type)}`)

/** Of any keys: the values of all its parts. */
const inferMap = (e: RecordExpression, parts: Parts, context: Context): Type | undefined => {
  const items: Type[] = []
  for (const { part, type } of parts) {
    const objects = part.kind === 'spread' && !isJson(type) ? objectsOf(type) : undefined
    if (part.kind !== 'spread') items.push(type)
    else if (isJson(type)) items.push(JSON_TYPE)
    else if (!objects) return refuseSpread(part.of, type, 'a map or a record', context)
    else
      for (const object of objects) {
        if (object.kind === 'map') items.push(object.item)
        else items.push(...object.fields.map((field) => field.type), ...(object.isOpen ? [JSON_TYPE] : []))
      }
  }
  const item = joinAll(items)
  return item
    ? { kind: 'map', item }
    : context.complain('type_mismatch', e.span, 'the values of this map have no common type', {
        help: 'a map has one type for all its values',
      })
}

const inferFields = (e: RecordExpression, parts: Parts, context: Context): Type | undefined => {
  let shapes: readonly Shape[] = [{ fields: new Map(), isOpen: false }]
  let isUnknown = false
  let isWrong = false
  for (const { part, type } of parts) {
    if (part.kind === 'field') for (const { fields } of shapes) fields.set(part.name.text, { type, absence: 'never' })
    else if (part.kind === 'computed') continue
    else if (isNever(type)) continue
    else if (isJson(type)) isUnknown = true
    else if (!fieldsOf(type)) {
      isWrong = true
      refuseSpread(part.of, type, 'a record', context)
    } else {
      const variants = variantsOf(type)
      const spread = shapes.flatMap((shape) => variants.map((variant) => spreadOver(e, shape, variant, context)))
      shapes = spread.flatMap((shape) => shape ?? [])
      if (shapes.length < spread.length) isWrong = true
    }
  }
  if (isWrong) return undefined
  if (isUnknown) return JSON_TYPE
  return (
    joinAll(shapes.map(recordOf)) ?? context.complain('type_mismatch', e.span, 'the variants of the spread can no longer be told apart')
  )
}

const spreadOver = (e: Expression, shape: Shape, variant: Variant, context: Context): Shape | undefined => {
  if (variant.kind !== 'record') return shape
  const fields = new Map(shape.fields)
  // What an open record does not declare may be in it all the same, and is of any type.
  if (variant.isOpen) for (const [name, fact] of fields) fields.set(name, { ...fact, type: JSON_TYPE })
  for (const field of variant.fields) {
    const earlier = shape.fields.get(field.name)
    if (isPresent(field)) fields.set(field.name, { type: field.type, absence: 'never' })
    else if (!earlier) fields.set(field.name, { type: shape.isOpen ? JSON_TYPE : field.type, absence: 'maybe' })
    else {
      const type = joinOrComplain(e, earlier.type, field.type, `the two values of '${field.name}'`, context)
      if (!type) return undefined
      fields.set(field.name, { type, absence: earlier.absence })
    }
  }
  return { fields, isOpen: shape.isOpen || variant.isOpen === true }
}

const recordOf = ({ fields, isOpen }: Shape): Type => ({
  kind: 'record',
  fields: [...fields].map(([name, { type, absence }]): Field => ({ name, type, isOptional: absence === 'maybe' })),
  ...(isOpen ? { isOpen } : {}),
})

/** `omit(r, "a")` and `pick(r, "a")`: the record without these fields, or of these alone. */
export const inferPart = (e: Expression, type: Type, names: ReadonlySet<string>, isPick: boolean, context: Context): Type | undefined => {
  const records = variantsOf(type).map((variant): Type => {
    if (variant.kind !== 'record') return variant
    const fields = variant.fields.filter(({ name }) => names.has(name) === isPick)
    const shape = new Map(fields.map((field) => [field.name, { type: field.type, absence: isPresent(field) ? 'never' : 'maybe' } as const]))
    return recordOf({ fields: shape, isOpen: variant.isOpen === true && !isPick })
  })
  return joinAll(records) ?? context.complain('type_mismatch', e.span, 'the variants of the record can no longer be told apart')
}

const hasDuplicates = (e: RecordExpression, context: Context): boolean => {
  const seen = new Map<string, Name>()
  let hasAny = false
  for (const part of e.parts) {
    if (part.kind !== 'field') continue
    const first = seen.get(part.name.text)
    if (first) {
      hasAny = true
      const related = [{ message: 'the first', span: first.span }]
      context.complain('duplicate_name', part.name.span, `field '${part.name.text}' is given twice`, { related })
    } else seen.set(part.name.text, part.name)
  }
  return hasAny
}
