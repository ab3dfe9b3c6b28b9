// Calls: `has` tests a field; every other function is a row of a table, or one of several of its name.

import { nearest } from '@plumb/wire/nearest'
import type { CallExpression, Expression, KeyFunction } from '../../parse/ast.js'
import { ownFunction, ownWay, wayOfArity } from '../../parse/foreign.js'
import { isJson } from '../../types/kind.js'
import { fieldName } from '../../types/print.js'
import { BOOL, type Type } from '../../types/type.js'
import type { Function } from '../run/function.js'
import { functionNames, functionsNamed } from '../run/function-table.js'
import { itemTypeOf } from '../run/list-function.js'
import { accepts, fits, orders } from './argument.js'
import { helpForMethod, inferCallee, refuseCount } from './call-binding.js'
import { calleeOf } from './callee.js'
import { type Context, show, sourceOf } from './context.js'
import { fieldsOf, helpForOpen } from './fields.js'
import { inferPart } from './record.js'

export const inferCall = (e: CallExpression, context: Context): Type | undefined => {
  const { text: name } = e.function
  const callee = calleeOf(e, context.environment.scope)
  if (callee || e.module) return inferCallee(e, callee, context)
  if (name === 'has') return inferHas(e, context)
  if (name === 'omit' || name === 'pick') return inferOmitOrPick(e, name === 'pick', context)
  const all = functionsNamed(name)
  // What others call so may take what is nothing here, such as the name of a type.
  if (all.length === 0 && (ownWay(name) !== undefined || PROCESSES.has(name))) return refuseUnknown(e, context)
  const types = e.arguments.map(context.infer)
  if (all.length === 0) return refuseUnknown(e, context)
  const candidates = all.filter((f) => f.takes.length === types.length && f.key !== (e.key ? undefined : 'must'))
  if (candidates.length === 0) return refuseArguments(e, all, context)
  const key = e.key && inferKey(e.key, types[0], context)
  const present = types.flatMap((type) => type ?? [])
  if (present.length < types.length || (e.key && !key)) return undefined
  const called = choose(candidates, present, e.key !== undefined)
  context.calls.set(e, called)
  const fit = e.arguments.map((argument, i) => accepts(argument, present, i, called, e.key !== undefined, context))
  if (!fit.every(Boolean)) return undefined
  if (e.key && key && called.takes[0] === 'ordered' && !orders(e.key.body, key, `the key of '${name}'`, context)) return undefined
  return called.gives(present, key)
}

const refuseUnknown = ({ function: { text: name, span }, arguments: [of], key }: CallExpression, context: Context): undefined => {
  // What is wrong with it is told there.
  if (context.environment.scope?.module.program.broken.has(name)) return undefined
  const bindings = [...(context.environment.scope?.bindings.values() ?? [])].filter(({ category }) => category === 'base')
  const names = [...new Set([...functionNames(), ...bindings.map((bound) => bound.name)])]
  const loop =
    key && of && (name === 'map' || name === 'filter')
      ? helpForMethod(name, sourceOf(of), [], { ...key, source: sourceOf(key.body) })
      : undefined
  const process = PROCESSES.has(name) ? `'${name}' is a process, and goes outside the parentheses: ${name}(…) ; map(…)` : undefined
  const near = process ? undefined : (ownFunction(name) ?? nearest(name, names))
  const help = loop ?? process ?? ownWay(name) ?? (near ? `did you mean '${near}'?` : `there are ${names.sort().join(', ')}`)
  return context.complain('unknown_function', span, `unknown function '${name}'`, { help })
}

const PROCESSES: ReadonlySet<string> = new Set(['each', 'batch', 'fold', 'barrier', 'merge', 'trace', 'project', 'copy', 'discard'])

/** The first function that accepts the arguments; else the one to report: the first that accepts the first argument, or the last. */
const choose = (candidates: readonly Function[], types: readonly Type[], hasKey: boolean): Function => {
  const allowed = candidates.filter(({ only }) => !only || only(types))
  const whole = allowed.find((f) => f.takes.every((_, i) => fits(types, i, f, hasKey)))
  return whole ?? candidates.find((f) => fits(types, 0, f, hasKey)) ?? (candidates.at(-1) as Function)
}

// Of an item of the first argument.
const inferKey = (e: KeyFunction, list: Type | undefined, context: Context): Type | undefined =>
  list && context.within(context.declare(e.parameter, itemTypeOf(list)), () => context.infer(e.body))

const refuseArguments = (e: CallExpression, all: readonly Function[], context: Context): undefined => {
  const [first] = all
  const name = e.function.text
  const help = keyMeantBy(e, all) ?? wayOfArity(name, e.arguments.length) ?? `write ${[...new Set(all.map((f) => f.usage))].join(' or ')}`
  if (e.key && all.every((f) => f.key === undefined)) {
    return context.complain('arity_mismatch', e.key.span, `'${name}' takes no function`, { help: loopFor(e, e.key) ?? help })
  }
  const counts = [...new Set(all.map((f) => f.takes.length))].sort()
  if (first?.key === 'must' && counts.includes(e.arguments.length)) {
    return context.complain('arity_mismatch', e.span, `'${name}' needs a function as its last argument`, { help })
  }
  return refuseCount(e, counts, help, context)
}

/** `sort(xs, "n")` */
const keyMeantBy = ({ function: { text: name }, arguments: [list, key, another] }: CallExpression, all: readonly Function[]) => {
  if (!list || !key || another || all.every((f) => f.key === undefined)) return undefined
  if (key.kind === 'literal')
    return typeof key.value === 'string' ? `write ${name}(${sourceOf(list)}, x -> x.${fieldName(key.value)})` : undefined
  if (key.kind !== 'name') return undefined
  return /^(?:desc|reverse)/.test(key.name)
    ? `write reverse(${name}(${sourceOf(list)}))`
    : `write ${name}(${sourceOf(list)}, x -> x.${key.name})`
}

/** What other languages do with a function of each item, as in `all(xs, x -> c)`. */
const loopFor = ({ function: { text: name }, arguments: [list, another] }: CallExpression, key: KeyFunction): string | undefined => {
  if (!list || another) return undefined
  const [of, x, e] = [sourceOf(list), key.parameter.text, sourceOf(key.body)]
  if (['all', 'any', 'sum', 'flatten', 'reverse'].includes(name)) return `write ${name}([${e} for ${x} in ${of}])`
  if (['first', 'last', 'length'].includes(name)) return `write ${name}([${x} for ${x} in ${of} if ${e}])`
  if (name === 'find') return `write first([${x} for ${x} in ${of} if ${e}])`
  return name === 'contains' ? `write any([${e} for ${x} in ${of}])` : undefined
}

const inferOmitOrPick = (e: CallExpression, isPick: boolean, context: Context): Type | undefined => {
  const name = isPick ? 'pick' : 'omit'
  const help = `write ${name}(r, "a", "b")`
  if (e.key) return context.complain('arity_mismatch', e.key.span, `'${name}' takes no function`, { help })
  const [record, ...names] = e.arguments
  if (!record || names.length === 0) {
    return context.complain('arity_mismatch', e.span, `'${name}' takes a record and the names of fields`, { help })
  }
  const type = context.infer(record)
  const [called] = functionsNamed(name)
  if (!type || !called) return undefined
  const fields = isJson(type) ? undefined : fieldsOf(type)
  if (!fields) {
    const other = isPick ? undefined : `of a map, or of json, without(${sourceOf(record)}, key) takes a key away`
    return context.complain('type_mismatch', record.span, `'${name}' needs a record, but this is ${show(type)}`, { help: other })
  }
  const given = new Set<string>()
  for (const at of names) {
    const field = at.kind === 'literal' && typeof at.value === 'string' ? at.value : undefined
    if (field !== undefined) context.infer(at)
    if (field !== undefined && fields.has(field)) given.add(field)
    else if (field === undefined) context.complain('type_mismatch', at.span, `'${name}' takes the names of fields as strings`, { help })
    else {
      const near = nearest(field, fields.keys())
      const help = near ? `did you mean '${near}'?` : helpForOpen(field, type)
      context.complain('unknown_field', at.span, `${show(type)} has no field '${field}'`, { help })
    }
  }
  if (given.size < new Set(names.map((at) => (at.kind === 'literal' ? at.value : at))).size) return undefined
  context.calls.set(e, called)
  return inferPart(e, type, given, isPick, context)
}

const inferHas = (e: CallExpression, context: Context): Type | undefined => {
  if (e.key) return context.complain('arity_mismatch', e.key.span, `'has' takes no function`, { help: 'write has(x)' })
  const [argument] = e.arguments
  if (!argument || e.arguments.length > 1)
    return refuseCount(e, [1], argument ? `write has(${keyed(argument, e.arguments[1])})` : 'write has(value.a)', context)
  context.asked = argument
  const fact = context.inferMaybe(argument)
  context.asked = undefined
  if (!fact) return undefined
  if (isField(argument, context)) return BOOL
  return context.complain('type_mismatch', argument.span, `'has' asks for a field or a key`, {
    help: `write has(${keyed(undefined, argument)}), or has(${argument.kind === 'literal' ? 'm' : sourceOf(argument)}["key"]) for a map`,
  })
}

// `has(value, "a")` and `has("a")` of others.
const keyed = (of: Expression | undefined, key: Expression | undefined): string => {
  const base = of ? sourceOf(of) : 'value'
  return key?.kind === 'literal' && typeof key.value === 'string'
    ? `${base}.${fieldName(key.value)}`
    : of && key
      ? `${base}[${sourceOf(key)}]`
      : `${base}.a`
}

const isField = (e: Expression, context: Context): boolean =>
  e.kind === 'field' ||
  (e.kind === 'name' && context.meanings.get(e)?.kind === 'field') ||
  (e.kind === 'index' && context.facts.get(e)?.absence !== 'never')
