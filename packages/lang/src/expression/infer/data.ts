// Data: fields, indexes and records.

import { nearest } from '@plumb/wire/nearest'
import type { Scope } from '../../names/names.js'
import type { Expression, FieldExpression, IndexExpression, Name, RecordExpression } from '../../parse/ast.js'
import { joinAll, unite } from '../../types/join.js'
import { isInt, isJson, isNumber, isString, listsOf, mapsOf } from '../../types/kind.js'
import { isPresent } from '../../types/required-fields.js'
import { type Field, JSON_TYPE, type MapType, type Type } from '../../types/type.js'
import { type Variant, variantsOf } from '../../types/variants.js'
import { type Context, type Fact, refuseAbsent, show, sourceOf } from './context.js'
import { localNamed } from './environment.js'
import { fieldsOf } from './fields.js'
import { joinOrComplain } from './join.js'

export const inferField = (e: FieldExpression, context: Context, mayBeAbsent: boolean): Fact | undefined => {
  const module = moduleNamedBy(e.of, context)
  if (module) return inferModuleParam(e, module, context)
  const base = inferBase(e.of, context, mayBeAbsent)
  if (!base) return undefined
  const { text: name, span } = e.field
  if (isJson(base.type)) return { type: JSON_TYPE, absence: base.absence === 'maybe' ? 'maybe' : 'checked' }
  const fields = fieldsOf(base.type)
  if (!fields) {
    const help = mapsOf(base.type) && `the value of a key is ${sourceOf(e.of)}[${JSON.stringify(name)}]`
    return context.complain('type_mismatch', span, `'${sourceOf(e.of)}' is ${show(base.type)} and has no fields`, { help })
  }
  const field = fields.get(name)
  if (!field) return unknownField(e.field, base.type, fields, context)
  return base.absence === 'never' ? field : { type: field.type, absence: 'maybe' }
}

// Any other meaning of the name takes precedence over a module, except the one free name.
const moduleNamedBy = (e: Expression, { environment: { scope, input }, locals }: Context): Scope | undefined => {
  if (e.kind !== 'name' || e.name === 'value' || localNamed(e.name, locals) || fieldsOf(input)?.has(e.name)) return undefined
  return scope?.params.has(e.name) ? undefined : scope?.modules.get(e.name)
}

const inferModuleParam = (e: FieldExpression, module: Scope, context: Context): Fact | undefined => {
  const { text, span } = e.field
  const param = module.params.get(text)
  if (!param) {
    const near = nearest(text, module.params.keys())
    const help = near ? `did you mean '${near}'?` : module.bindings.has(text) ? `call it, as in ${sourceOf(e)}(…)` : undefined
    return context.complain('unknown_name', span, `module '${sourceOf(e.of)}' has no param '${text}'`, { help })
  }
  context.moduleParams.set(e, param)
  return present(param.type)
}

// The operand of `.field` and `[key]`.
const inferBase = (e: Expression, context: Context, mayBeAbsent: boolean): Fact | undefined =>
  mayBeAbsent && (e.kind === 'name' || e.kind === 'field' || e.kind === 'index') ? context.inferMaybe(e) : present(context.infer(e))

const present = (type: Type | undefined): Fact | undefined => type && { type, absence: 'never' }

const unknownField = ({ text, span }: Name, type: Type, fields: ReadonlyMap<string, Fact>, context: Context): undefined => {
  const near = nearest(text, fields.keys())
  return context.complain('unknown_field', span, `${show(type)} has no field '${text}'`, { help: near && `did you mean '${near}'?` })
}

export const inferIndex = (e: IndexExpression, context: Context, mayBeAbsent: boolean): Fact | undefined => {
  const base = inferBase(e.of, context, mayBeAbsent)
  const index = context.infer(e.index)
  if (!base || !index) return undefined
  const maps = mapsOf(base.type)
  if (maps || (isJson(base.type) && isString(index) && !isJson(index))) return inferKey(e, base, index, maps, context)
  if (base.absence === 'maybe') return refuseAbsent(e.of, context)
  return present(inferItem(e, base.type, index, context))
}

/** A key of a map may be absent; for a json only the message shows, as with fields. */
const inferKey = (
  e: IndexExpression,
  base: Fact,
  index: Type,
  maps: readonly MapType[] | undefined,
  context: Context,
): Fact | undefined => {
  if (!isString(index)) {
    const help = isJson(index) || isNumber(index) ? `text(${sourceOf(e.index)}) makes it a string` : undefined
    return context.complain('type_mismatch', e.index.span, `the key of a map is a string, but this is ${show(index)}`, { help })
  }
  if (maps) return { type: unite(maps.map(({ item }) => item)), absence: 'maybe' }
  return { type: JSON_TYPE, absence: base.absence === 'maybe' ? 'maybe' : 'checked' }
}

const inferItem = (e: IndexExpression, list: Type, index: Type, context: Context): Type | undefined => {
  if (!isJson(index) && !isInt(index)) {
    const { index: at } = e
    const isField = at.kind === 'literal' && typeof at.value === 'string'
    const help = isField ? `a field is taken with a point, as in ${sourceOf(e.of)}.name` : undefined
    return context.complain('type_mismatch', at.span, `an index is an int, but this is ${show(index)}`, { help })
  }
  if (isJson(list)) return JSON_TYPE
  const lists = listsOf(list)
  if (!lists) return context.complain('type_mismatch', e.of.span, `only a list has an index, but this is ${show(list)}`)
  const at = literalIndex(e.index)
  if (at === undefined) return unite(lists.flatMap((l) => (l.kind === 'array' ? [l.item] : l.items)))
  const items = lists.map((l) => (l.kind === 'array' && at >= 0 ? l.item : l.kind === 'tuple' ? l.items[at] : undefined))
  const known = items.flatMap((item) => item ?? [])
  if (known.length === items.length) return unite(known)
  return context.complain('type_mismatch', e.index.span, `${show(list)} has no item ${at}`, { help: 'items are counted from 0' })
}

/** The number of a literal index, negative ones too. */
export const literalIndex = (e: Expression): number | undefined => {
  if (e.kind === 'literal' && typeof e.value === 'number') return e.value
  if (e.kind !== 'unary' || e.operator !== '-') return undefined
  const index = literalIndex(e.operand)
  return index === undefined ? undefined : -index
}

type Shape = Map<string, Fact>

/** One record for each combination of the variants of spread sums; json once a json is spread. */
export const inferRecord = (e: RecordExpression, context: Context): Type | undefined => {
  let shapes: readonly Shape[] = [new Map()]
  let isOpen = false
  let isWrong = hasDuplicates(e, context)
  for (const part of e.parts) {
    const type = context.infer(part.kind === 'field' ? part.value : part.of)
    if (part.kind === 'field' && part.isShorthand && part.value.kind === 'name') context.shorthands.add(part.value)
    if (!type) isWrong = true
    else if (part.kind === 'field') for (const shape of shapes) shape.set(part.name.text, { type, absence: 'never' })
    else if (isJson(type)) isOpen = true
    else if (!fieldsOf(type)) {
      isWrong = true
      context.complain('type_mismatch', part.of.span, `'...' spreads a record, but this is ${show(type)}`)
    } else {
      const variants = variantsOf(type)
      const spread = shapes.flatMap((shape) => variants.map((variant) => spreadOver(e, shape, variant, context)))
      shapes = spread.flatMap((shape) => shape ?? [])
      if (shapes.length < spread.length) isWrong = true
    }
  }
  if (isWrong) return undefined
  return isOpen ? JSON_TYPE : sumOf(e, shapes.map(recordOf), context)
}

const spreadOver = (e: Expression, shape: Shape, variant: Variant, context: Context): Shape | undefined => {
  const result = new Map(shape)
  for (const field of variant.kind === 'record' ? variant.fields : []) {
    const earlier = result.get(field.name)
    if (isPresent(field)) result.set(field.name, { type: field.type, absence: 'never' })
    else if (!earlier) result.set(field.name, { type: field.type, absence: 'maybe' })
    else {
      const type = joinOrComplain(e, earlier.type, field.type, `the two values of '${field.name}'`, context)
      if (!type) return undefined
      result.set(field.name, { type, absence: earlier.absence })
    }
  }
  return result
}

const recordOf = (shape: Shape): Type => {
  const fields = [...shape].map(([name, { type, absence }]): Field => ({ name, type, isOptional: absence === 'maybe' }))
  return { kind: 'record', fields }
}

const sumOf = (e: Expression, records: readonly Type[], context: Context): Type | undefined =>
  joinAll(records) ?? context.complain('type_mismatch', e.span, 'the variants of the spread can no longer be told apart')

const hasDuplicates = (e: RecordExpression, context: Context): boolean => {
  const seen = new Map<string, Name>()
  let hasAny = false
  for (const part of e.parts) {
    if (part.kind === 'spread') continue
    const first = seen.get(part.name.text)
    if (first) {
      hasAny = true
      const related = [{ message: 'the first', span: first.span }]
      context.complain('duplicate_name', part.name.span, `field '${part.name.text}' is given twice`, { related })
    } else seen.set(part.name.text, part.name)
  }
  return hasAny
}
