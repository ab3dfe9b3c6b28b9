// Calls, and operands as an operator or function asks for them → JavaScript expressions.

import type { CallExpression, Expression } from '../../parse/ast.js'
import { isJson } from '../../types/kind.js'
import { functionOf, type Parameter } from '../run/function.js'
import type { Generator } from './generator.js'
import { emitHeld, emitHeldOrAbsent, emitValue, isThere } from './value.js'

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
  return path ? `(${isThere(path, g)})` : `(${emitHeldOrAbsent(e, g)} !== undefined)`
}

const emitArgument = (e: Expression, parameter: Parameter, g: Generator): string => {
  switch (parameter) {
    case 'string':
      return emitString(e, g)
    case 'number':
      return emitNumber(e, g)
    case 'strings':
      if (e.kind === 'call' && functionOf(e.function.text)?.result === 'strings') return emitCall(e, g)
      return isJson(g.fact(e).type) ? `R.needStrings(${emitHeld(e, g)}, ${g.site(e)})` : `R.stringsOf(${emitHeld(e, g)})`
    case 'sized':
      return g.form(e) === 'string' ? emitValue(e, g) : emitHeld(e, g)
    default:
      return emitHeld(e, g)
  }
}

// An operand of the form that the operator asks for; a json is looked at.
const demand =
  (look: string) =>
  (e: Expression, g: Generator): string =>
    isJson(g.fact(e).type) ? `R.${look}(${emitHeld(e, g)}, ${g.site(e)})` : emitValue(e, g)

export const emitBool = demand('needBool')
export const emitString = demand('needString')
export const emitNumber = demand('needNumber')
export const emitIndex = demand('needIndex')
