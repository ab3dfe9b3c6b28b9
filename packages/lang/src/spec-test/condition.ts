// Conditions of tests: expressions over a record with the names that they may use.

import { error, type Report } from '../diagnostic/diagnostic.js'
import { checkUsed } from '../expression/check-expression.js'
import type { Scope } from '../names/names.js'
import type { Expression } from '../parse/ast.js'
import { isBool } from '../types/kind.js'
import { printType } from '../types/print.js'
import type { Type } from '../types/type.js'
import type { TestCondition } from './test-plan.js'

/** Undefined: it has an error, which is reported. */
export const readCondition = (expression: Expression, input: Type, scope: Scope, report: Report): TestCondition | undefined => {
  const type = checkUsed(expression, { input, scope }, report)
  if (!type) return undefined
  if (isBool(type)) return { expression, input, scope }
  report(error('type_mismatch', `a test needs a bool here, this is '${printType(type)}'`, expression.span))
  return undefined
}

/** A record of these names. */
export const recordOf = (types: Readonly<Record<string, Type | undefined>>): Type => ({
  kind: 'record',
  fields: Object.entries(types).flatMap(([name, type]) => (type ? [{ name, type, isOptional: false }] : [])),
})
