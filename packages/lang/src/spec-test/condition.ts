// Conditions of tests: expressions over a record with the names that they may use.

import { error, type Report } from '../diagnostic/diagnostic.js'
import { checkUsed } from '../expression/check-expression.js'
import type { Scope } from '../names/names.js'
import type { Expression } from '../parse/ast.js'
import { isBool } from '../types/kind.js'
import { printType } from '../types/print.js'
import { JSON_TYPE, type Type } from '../types/type.js'
import { isWirable } from '../types/wirable.js'
import type { TestCondition } from './test-plan.js'

/** Undefined: it has an error, which is reported. */
export const readCondition = (expression: Expression, input: Type, scope: Scope, report: Report): TestCondition | undefined => {
  const type = checkUsed(expression, { input, scope }, report)
  if (!type) return undefined
  if (isBool(type)) return { expression, input, scope }
  report(error('type_mismatch', `a test needs a bool here, this is '${printType(type)}'`, expression.span))
  return undefined
}

/** What is computed from a row: JSON, which is checked when it is read. Undefined: it never fits the target, which is reported. */
export const readOfRow = (expression: Expression, target: Type, scope: Scope, report: Report): TestCondition | undefined => {
  const input = recordOf({ row: JSON_TYPE })
  const type = checkUsed(expression, { input, scope }, report)
  if (!type) return undefined
  if (isWirable(type, target) !== 'no') return { expression, input, scope }
  report(error('type_mismatch', `this gives '${printType(type)}', and '${printType(target)}' is asked for`, expression.span))
  return undefined
}

/** A record of these names. */
export const recordOf = (types: Readonly<Record<string, Type | undefined>>): Type => ({
  kind: 'record',
  fields: Object.entries(types).flatMap(([name, type]) => (type ? [{ name, type, isOptional: false }] : [])),
})
