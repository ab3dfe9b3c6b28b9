// Calls → JavaScript expressions.

import { unreachable } from '../../diagnostic/unreachable.js'
import type { CallExpression, Expression } from '../../parse/ast.js'
import { isJson } from '../../types/kind.js'
import { functionOf, type Parameter } from '../run/function.js'
import { emitHas } from './absent.js'
import type { Generator } from './generator.js'
import { emitNumber, emitString } from './operand.js'

export const emitCall = (e: CallExpression, g: Generator): string => {
  const [first] = e.arguments
  if (e.function.text === 'has' && first) return emitHas(first, g)
  const called = functionOf(e.function.text)
  if (!called) throw new TypeError(`not checked: ${e.kind}`)
  const values = e.arguments.map((argument, i) => emitArgument(argument, called.takes[i] ?? 'any', g))
  return `R.call_${e.function.text}(${[...values, g.site(e)].join(', ')})`
}

const emitArgument = (e: Expression, parameter: Parameter, g: Generator): string => {
  switch (parameter) {
    case 'string':
      return emitString(e, g)
    case 'number':
      return emitNumber(e, g)
    case 'strings':
      if (e.kind === 'call' && functionOf(e.function.text)?.result === 'strings') return emitCall(e, g)
      return isJson(g.fact(e).type) ? `R.expectStrings(${g.boxed(e)}, ${g.site(e)})` : `R.stringsOf(${g.boxed(e)})`
    case 'sized':
      return g.form(e) === 'string' ? g.value(e) : g.boxed(e)
    case 'any':
      return g.boxed(e)
    default:
      return unreachable(parameter)
  }
}
