// Data: fields, indexes and records.

import { nearest } from '@plumb/wire/nearest'
import type { Scope } from '../../names/names.js'
import type { Expression, FieldExpression, IndexExpression, Name } from '../../parse/ast.js'
import { ownFunction } from '../../parse/foreign.js'
import { unite } from '../../types/join.js'
import { isInt, isJson, isNever, isNumber, isString, listsOf, mapsOf } from '../../types/kind.js'
import { fieldName } from '../../types/print.js'
import { JSON_TYPE, type MapType, NEVER, type Type } from '../../types/type.js'
import { isFunction } from '../run/function-table.js'
import { type Context, type Fact, literalIndex, refuseAbsent, show, sourceOf } from './context.js'
import { localNamed } from './environment.js'
import { fieldsOf, helpForOpen, helpForVariant, someFieldsOf, withoutNull } from './fields.js'
import { narrowedFact } from './narrow.js'

export const inferField = (e: FieldExpression, context: Context, mayBeAbsent: boolean): Fact | undefined => {
  const module = moduleNamedBy(e.of, context)
  if (module) return inferModuleParam(e, module, context)
  const base = inferBase(e.of, context, mayBeAbsent)
  if (!base) return undefined
  const { text: name, span } = e.field
  if (isJson(base.type)) return { type: JSON_TYPE, absence: base.absence === 'maybe' ? 'maybe' : 'checked' }
  if (isNever(base.type)) return present(NEVER)
  const fields = e === context.asked ? someFieldsOf(base.type) : fieldsOf(base.type)
  if (!fields) {
    const of = sourceOf(e.of)
    const help = mapsOf(base.type)
      ? `the value of a key is ${of}[${JSON.stringify(name)}]`
      : (ofItems(name, of, base.type) ?? functionFor(name, of))
    return context.complain('type_mismatch', span, `'${sourceOf(e.of)}' is ${show(base.type)} and has no fields`, { help })
  }
  const field = fields.get(name)
  if (!field) return unknownField(e.field, base.type, fields, context)
  return narrowedFact(e, base.absence === 'never' ? field : { ...field, absence: 'maybe' }, context)
}

// `items.price`, of all items.
const ofItems = (name: string, of: string, type: Type): string | undefined => {
  const items = listsOf(type)?.flatMap((list) => (list.kind === 'array' ? [list.item] : list.items)) ?? []
  return items.length > 0 && items.every((item) => fieldsOf(item)?.has(name)) ? `write [x.${fieldName(name)} for x in ${of}]` : undefined
}

// `s.length`, as in other languages.
const functionFor = (name: string, of: string): string | undefined => {
  const own = isFunction(name) ? name : ownFunction(name)
  return own && `write ${own}(${of})`
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
  mayBeAbsent && isStep(e) ? inferLeft(e, context) : present(context.infer(e))

/** What may be absent or null, at any step. */
export const inferLeft = (e: Expression, context: Context): Fact | undefined => {
  const fact = context.inferMaybe(e)
  const left = fact && withoutNull(fact)
  if (left && left !== fact) context.facts.set(e, left)
  return left
}

const isStep = ({ kind }: Expression): boolean => kind === 'name' || kind === 'field' || kind === 'index'

const present = (type: Type | undefined): Fact | undefined => type && { type, absence: 'never' }

const unknownField = ({ text, span }: Name, type: Type, fields: ReadonlyMap<string, Fact>, context: Context): undefined => {
  const near = nearest(text, fields.keys())
  const help = near ? `did you mean '${near}'?` : (helpForOpen(text, type) ?? helpForVariant(text, type))
  return context.complain('unknown_field', span, `${show(type)} has no field '${text}'`, { help })
}

export const inferIndex = (e: IndexExpression, context: Context, mayBeAbsent: boolean): Fact | undefined => {
  const base = inferBase(e.of, context, mayBeAbsent)
  const index = context.infer(e.index)
  if (!base || !index) return undefined
  if (isNever(base.type)) return present(NEVER)
  const maps = mapsOf(base.type)
  if (maps || (isJson(base.type) && isString(index) && !isJson(index))) return inferKey(e, base, index, maps, context)
  if (base.absence === 'maybe' && !mayBeAbsent) return refuseAbsent(e.of, context)
  const item = inferItem(e, base.type, index, context)
  if (!item) return undefined
  const isSure = literalIndex(e.index) !== undefined && listsOf(base.type)?.every(({ kind }) => kind === 'tuple')
  const absence = base.absence === 'never' && isSure ? 'never' : isJson(base.type) ? 'checked' : 'maybe'
  return narrowedFact(e, { type: item, absence: mayBeAbsent ? absence : 'never' }, context)
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
    const isRecord = fieldsOf(list) !== undefined && isString(index)
    const ofRecord = isRecord ? 'only a map has keys that are computed: map_of([]) is an empty one, {} a record without fields' : undefined
    const help = isField ? `a field is taken with a point: write ${sourceOf(e.of)}.${fieldName(at.value as string)}` : ofRecord
    return context.complain('type_mismatch', at.span, `an index is an int, but this is ${show(index)}`, { help })
  }
  if (isJson(list)) return JSON_TYPE
  const lists = listsOf(list)
  if (!lists) {
    const [of, at] = [sourceOf(e.of), literalIndex(e.index)]
    const part = at === undefined ? `${of}[i:i + 1]` : `${of}[${at}:${at === -1 ? '' : at + 1}]`
    const isWhole = e.of.kind === 'name' && (e.of.name === 'value' || !isString(list))
    const ofString = isString(list) ? `${part} is a part of a string` : undefined
    const help = isWhole && at !== undefined ? [...(ofString ? [ofString] : []), JOINED].join('; ') : ofString
    return context.complain('type_mismatch', e.of.span, `only a list has an index, but this is ${show(list)}`, { help })
  }
  const at = literalIndex(e.index)
  if (at === undefined) return unite(lists.flatMap((l) => (l.kind === 'array' ? [l.item] : l.items)))
  const items = lists.map((l) => (l.kind === 'array' && at >= 0 ? l.item : l.kind === 'tuple' ? l.items[at] : undefined))
  const known = items.flatMap((item) => item ?? [])
  if (known.length === items.length) return unite(known)
  return context.complain('type_mismatch', e.index.span, `${show(list)} has no item ${at}`, {
    help: at === -1 ? `last(${sourceOf(e.of)}) is the last one` : 'items are counted from 0',
  })
}

const JOINED = "two branches that meet come one by one: '(a * b) ; barrier' joins them, and value[0] is what came of a"
