// Names: locals, `value`, the fields of the input, params, or the one free name of an input that is not a record, in this order.

import { nearest } from '@plumb/wire/nearest'
import type { NameExpression } from '../../parse/ast.js'
import { isFunction } from '../run/function-table.js'
import { type Context, type Fact, show } from './context.js'
import { FIELD_OF_INPUT, type Local, localNamed, type Meaning, WHOLE_INPUT } from './environment.js'
import { fieldsOf } from './fields.js'

export const inferName = (e: NameExpression, context: Context): Fact | undefined => {
  const { name, span } = e
  const { input, scope } = context.environment
  const means = (meaning: Meaning, fact: Fact): Fact => {
    context.meanings.set(e, meaning)
    return fact
  }
  context.scopes.set(e, context.locals)
  const whole: Fact = { type: input, absence: 'never' }
  const local = localNamed(name, context.locals)
  if (local) return means({ kind: 'local', local }, { type: local.type, absence: 'never' })
  // `value` means the whole input even if the input has a field of that name: that one is value.value.
  if (name === 'value') return means(WHOLE_INPUT, whole)
  const fields = fieldsOf(input)
  const field = fields?.get(name)
  if (field) return means(FIELD_OF_INPUT, field)
  const param = scope?.params.get(name)
  if (param) return param.type && means({ kind: 'param', param }, { type: param.type, absence: 'never' })
  if (!fields) {
    context.freeName ??= name
    if (context.freeName === name) return means(WHOLE_INPUT, whole)
    return context.complain('unknown_name', span, `unknown name '${name}': '${context.freeName}' already stands for the whole input`, {
      help: `the input is ${show(input)}, no record, so an expression has one free name`,
    })
  }
  const near = nearest(name, [...namesOf(context.locals), ...fields.keys(), ...(scope?.params.keys() ?? []), 'value'])
  const help = near ? `did you mean '${near}'?` : isFunction(name) ? `'${name}' is a function: call it, as in ${name}(…)` : undefined
  return context.complain('unknown_field', span, `the input ${show(input)} has no field '${name}'`, { help })
}

const namesOf = (scope: Local | undefined): string[] => {
  const names: string[] = []
  for (let local = scope; local; local = local.outer) names.push(local.name)
  return names
}
