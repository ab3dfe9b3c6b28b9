// The check of an expression of a program: its types, and what in it could never be computed.

import { preview } from '@plumb/wire/preview'
import { error, type Report } from '../diagnostic/diagnostic.js'
import type { Expression } from '../parse/ast.js'
import { partsOfExpression } from '../parse/expression-parts.js'
import type { Type } from '../types/type.js'
import { warnOfForeignTemplates } from './foreign-template.js'
import { calleeOf } from './infer/callee.js'
import { checkExpression } from './infer/check.js'
import { numeralOf } from './infer/checked.js'
import { sourceOf } from './infer/context.js'
import type { Environment } from './infer/environment.js'
import { exactOf } from './run/coerce.js'
import { faultOfEvaluation } from './run/failure.js'
import { sliceOf } from './run/slice.js'
import { withSteps } from './run/steps.js'
import { evaluateConstant } from './stage/fold.js'

/** Undefined: an error was reported. */
export const checkUsed = (e: Expression, environment: Environment, report: Report): Type | undefined => {
  const type = checkExpression(e, environment, report)
  if (!type) return undefined
  warnOfForeignTemplates(e, environment, report)
  return refuseUncomputable(e, environment.scope, report) ? type : undefined
}

type Scope = Environment['scope']

/** What an evaluation at load may look at. */
const MAX_STEPS = 10_000

const refuseUncomputable = (whole: Expression, scope: Scope, report: Report): boolean => {
  let isRight = true
  const refuse = (e: Expression, why: string, help?: string): false => {
    report(error('evaluation_failed', why, e.span, help))
    isRight = false
    return false
  }
  /** Whether it names nothing, and has a value. */
  const look = (e: Expression): boolean => {
    let isConstant = e.kind !== 'name' && !(e.kind === 'call' && (e.module !== undefined || calleeOf(e, scope) !== undefined))
    for (const part of partsOfExpression(e)) if (part && !look(part)) isConstant = false
    const big = operandsOf(e).find(isBeyond)
    if (big) {
      const help = 'whole numbers up to 2^53 are computed exactly, and larger ones only compared and moved'
      return refuse(big, `a whole number beyond ±2^53 cannot be computed with in '${preview(sourceOf(e))}'`, help)
    }
    if (!isConstant || !MAY_FAIL.has(e.kind) || numeralOf(e) !== undefined) return isConstant
    const why = failureOf(e)
    return why === undefined || refuse(e, `${why}, whatever the message is`)
  }
  look(whole)
  return isRight
}

const MAY_FAIL: ReadonlySet<Expression['kind']> = new Set(['call', 'binary', 'unary', 'index', 'slice', 'field'])

const failureOf = (e: Expression): string | undefined => {
  try {
    withSteps(MAX_STEPS, () => evaluateConstant(e, undefined))
  } catch (failure) {
    const { error: code, detail } = faultOfEvaluation(failure)
    return code === 'evaluation_failed' ? detail : undefined
  }
  return undefined
}

const ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%'])
const COMPUTING: ReadonlySet<string> = new Set(['div', 'abs', 'round', 'floor', 'ceil', 'pow'])

const operandsOf = (e: Expression): readonly Expression[] => {
  if (e.kind === 'binary') return ARITHMETIC.has(e.operator) ? [e.left, e.right] : []
  return e.kind === 'call' && COMPUTING.has(e.function.text) ? e.arguments : []
}

const isBeyond = (e: Expression): boolean => {
  const text = numeralOf(e)
  const n = text === undefined ? 0 : exactOf(sliceOf(text))
  return typeof n === 'bigint' && (n > LIMIT || n < -LIMIT)
}

const LIMIT = 2n ** 53n
