// Static typing of an expression: one rule for each form of the syntax.

import type { Report } from '../../diagnostic/diagnostic.js'
import { unreachable } from '../../diagnostic/unreachable.js'
import type { Expression } from '../../parse/ast.js'
import { BOOL, INT, NUMBER, type Type, UNIT } from '../../types/type.js'
import { inferCall } from './call.js'
import { inferCoalesce, inferIf, inferLet } from './choice.js'
import { type Context, type Fact, openContext } from './context.js'
import { inferField, inferIndex } from './data.js'
import type { Environment } from './environment.js'
import { inferComprehension, inferList, inferSlice, inferTemplate } from './list.js'
import { inferMatch } from './match.js'
import { inferName } from './name.js'
import { inferBinary, inferUnary } from './operator.js'
import { inferRecord } from './record.js'

/** Undefined: an error was reported. Independent errors are all reported; consequences of others are not. */
export const checkExpression = (e: Expression, environment: Environment, report: Report): Type | undefined =>
  openInference(environment, report).infer(e)

export const openInference = (environment: Environment, report: Report): Context => openContext(environment, report, rule)

const rule = (e: Expression, context: Context, mayBeAbsent: boolean): Fact | undefined => {
  switch (e.kind) {
    case 'name':
      return inferName(e, context)
    case 'field':
      return inferField(e, context, mayBeAbsent)
    case 'index':
      return inferIndex(e, context, mayBeAbsent)
    default: {
      const type = ruleOfPresent(e, context)
      return type && { type, absence: 'never' }
    }
  }
}

const ruleOfPresent = (e: Exclude<Expression, { kind: 'name' | 'field' | 'index' }>, context: Context): Type | undefined => {
  switch (e.kind) {
    case 'literal':
      return typeOfLiteral(e.value, e.text)
    case 'unary':
      return inferUnary(e, context)
    case 'binary':
      return e.operator === '??' ? inferCoalesce(e, context) : inferBinary(e, e.operator, context)
    case 'if':
      return inferIf(e, context)
    case 'let':
      return inferLet(e, context)
    case 'match':
      return inferMatch(e, context)
    case 'call':
      return inferCall(e, context)
    case 'slice':
      return inferSlice(e, context)
    case 'record':
      return inferRecord(e, context)
    case 'list':
      return inferList(e, context)
    case 'comprehension':
      return inferComprehension(e, context)
    case 'template':
      return inferTemplate(e, context)
    default:
      return unreachable(e)
  }
}

/** A whole number is an int, unless its exponent takes it beyond the range of computable ints. */
const typeOfLiteral = (value: string | number | boolean | null, text: string): Type => {
  if (value === null) return UNIT
  if (typeof value === 'boolean') return BOOL
  if (typeof value === 'string') return { kind: 'literal', value }
  return Number.isInteger(value) && (Math.abs(value) <= 2 ** 53 || /^[0-9]+$/.test(text)) ? INT : NUMBER
}
