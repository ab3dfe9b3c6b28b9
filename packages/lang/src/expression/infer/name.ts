// Names: `value`, the fields of the input, or the one free name of an input that is no record.

import { nearest } from '@plumb/wire/nearest'
import type { NameExpression } from '../../parse/ast.js'
import { isFunction } from '../run/function.js'
import { type Context, type Fact, show } from './context.js'
import { fieldsOf } from './fields.js'

export const inferName = ({ name, span }: NameExpression, context: Context): Fact | undefined => {
  const whole: Fact = { type: context.environment.input, absence: 'never' }
  // `value` means the whole input even where the input has a field of that name: that one is value.value.
  if (name === 'value') return whole
  const fields = fieldsOf(context.environment.input)
  if (!fields) {
    context.freeName ??= name
    if (context.freeName === name) return whole
    return context.complain('unknown_name', span, `unknown name '${name}': '${context.freeName}' already stands for the whole input`, {
      help: `the input is ${show(context.environment.input)}, no record, so an expression has one free name`,
    })
  }
  const field = fields.get(name)
  if (field) return field
  const near = nearest(name, [...fields.keys(), 'value'])
  const help = near ? `did you mean '${near}'?` : isFunction(name) ? `'${name}' is a function: call it, as in ${name}(…)` : undefined
  return context.complain('unknown_field', span, `the input ${show(context.environment.input)} has no field '${name}'`, { help })
}

/** Does this name stand for the whole input? */
export const isWhole = ({ name }: NameExpression, context: Context): boolean =>
  name === 'value' || (name === context.freeName && !fieldsOf(context.environment.input))
