// Calls, and operands as an operator or function asks for them → JavaScript expressions.

import type { CallExpression, Expression } from '../../parse/ast.js'
import { isJson } from '../../types/kind.js'
import { functionOf, type Parameter } from '../run/function.js'
import type { Generator } from './generator.js'
import { emitBoxed, emitBoxedOrAbsent, emitValue, isThere } from './value.js'

export const emitCall = (e: CallExpression, g: Generator): string => {
  const [first] = e.arguments
  if (e.function.text === 'has' && first) return emitHas(first, g)
  const called = functionOf(e.function.text)
  if (!called) throw new TypeError(`not checked: ${e.kind}`)
  const values = e.arguments.map((argument, i) => emitArgument(argument, called.takes[i] ?? 'any', g))
  return `R.call_${e.function.text}(${[...values, g.site(e)].join(', ')})`
}

const emitHas = (e: Expression, g: Generator): string => {
  const path = g.path(e)
  return path ? `(${isThere(path, g)})` : `(${emitBoxedOrAbsent(e, g)} !== undefined)`
}

const emitArgument = (e: Expression, parameter: Parameter, g: Generator): string => {
  switch (parameter) {
    case 'string':
      return emitString(e, g)
    case 'number':
      return emitNumber(e, g)
    case 'strings':
      if (e.kind === 'call' && functionOf(e.function.text)?.result === 'strings') return emitCall(e, g)
      return isJson(g.fact(e).type) ? `R.expectStrings(${emitBoxed(e, g)}, ${g.site(e)})` : `R.stringsOf(${emitBoxed(e, g)})`
    case 'sized':
      return g.form(e) === 'string' ? emitValue(e, g) : emitBoxed(e, g)
    default:
      return emitBoxed(e, g)
  }
}

// An operand of the form that the operator asks for; a json is looked at.
const coerced =
  (look: string) =>
  (e: Expression, g: Generator): string =>
    isJson(g.fact(e).type) ? `R.${look}(${emitBoxed(e, g)}, ${g.site(e)})` : emitValue(e, g)

export const emitBool = coerced('expectBool')
export const emitString = coerced('expectString')
export const emitNumber = coerced('expectNumber')
export const emitIndex = coerced('expectIndex')
