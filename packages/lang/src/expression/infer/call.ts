// Calls: `has` asks for a field; every other function is a row of the table in function.ts.

import { nearest } from '@plumb/wire/nearest'
import type { CallExpression, Expression } from '../../parse/ast.js'
import { isJson, isString, listsOf } from '../../types/kind.js'
import { isSubtype } from '../../types/subtype.js'
import { BOOL, STRING, type Type } from '../../types/type.js'
import { FUNCTIONS, functionOf, type Parameter } from '../run/function.js'
import { type Context, show } from './context.js'
import { requireNumber, requireString } from './operator.js'

export const inferCall = (e: CallExpression, context: Context): Type | undefined => {
  const { text: name, span } = e.function
  if (name === 'has') return inferHas(e, context)
  const types = e.arguments.map(context.infer)
  const called = functionOf(name)
  if (!called) {
    const names = [...FUNCTIONS.keys(), 'has']
    const near = nearest(name, names)
    const help = near ? `did you mean '${near}'?` : `there are ${names.sort().join(', ')}`
    return context.complain('unknown_function', span, `unknown function '${name}'`, { help })
  }
  if (!hasArity(e, called.takes.length, called.usage, context)) return undefined
  const present = types.flatMap((type) => type ?? [])
  if (present.length < types.length) return undefined
  const fits = e.arguments.map((argument, i) => accepts(argument, present[i] ?? STRING, called.takes[i] ?? 'any', name, context))
  return fits.every(Boolean) ? called.gives(present) : undefined
}

const inferHas = (e: CallExpression, context: Context): Type | undefined => {
  if (!hasArity(e, 1, 'has(x)', context)) return undefined
  const [argument] = e.arguments
  if (!argument) return undefined
  const fact = context.inferMaybe(argument)
  if (!fact) return undefined
  if (argument.kind === 'field' || (argument.kind === 'name' && context.meanings.get(argument)?.kind === 'field')) return BOOL
  return context.complain('type_mismatch', argument.span, `'has' asks for a field`, { help: 'as in has(name) or has(value.name)' })
}

const hasArity = (e: CallExpression, count: number, usage: string, context: Context): boolean => {
  if (e.arguments.length === count) return true
  const given = e.arguments.length
  const message = `'${e.function.text}' takes ${count} argument${count === 1 ? '' : 's'}, but ${given} ${given === 1 ? 'is' : 'are'} given`
  context.complain('arity_mismatch', e.span, message, { help: `write ${usage}` })
  return false
}

const accepts = (e: Expression, type: Type, parameter: Parameter, name: string, context: Context): boolean => {
  if (parameter === 'any' || isJson(type)) return true
  if (parameter === 'string') return requireString(e, type, `'${name}'`, context)
  if (parameter === 'number') return requireNumber(e, type, `'${name}'`, context)
  const lists = listsOf(type)
  if (parameter === 'sized') {
    if (isString(type) || lists) return true
    context.complain('type_mismatch', e.span, `'${name}' needs a string or a list, but this is ${show(type)}`)
    return false
  }
  if (lists && isSubtype(type, { kind: 'array', item: STRING })) return true
  context.complain('type_mismatch', e.span, `'${name}' needs a list of strings, but this is ${show(type)}`)
  return false
}
