// Bare morphisms: their chains against their signatures, and as plans.

import type { Chain, Expression } from '../ast.js'
import type { Report } from '../diagnostic.js'
import type { Bound } from '../names.js'
import type { BasePlan } from '../plan/base-plan.js'
import { lastOf } from '../plan/walk.js'
import { printType } from '../types/print.js'
import type { Type } from '../types/type.js'
import { BaseChecker, type Outcome, refuseMisfit } from './base-checker.js'

/** Told of each expression with the type that it is applied to. */
export type Look = (expression: Expression, input: Type) => void

export const checkBaseChain = (bound: Bound, chain: Chain, report: Report, look: Look = () => {}): void => {
  const [output] = bound.outputs
  const { plan, diagnostics, seen } = outcomeOf(bound, chain)
  for (const d of diagnostics) report(d)
  for (const { expression, input } of seen) look(expression, input)
  if (plan && output)
    refuseMisfit(
      `'${bound.name}' gives '${printType(plan.output)}', its signature says '${printType(output)}'`,
      plan.output,
      output,
      lastOf(chain),
      report,
    )
}

/** Only for a binding without errors. */
export const planOfBase = (bound: Bound, chain: Chain): BasePlan => {
  const { plan } = outcomeOf(bound, chain)
  if (!plan) throw new TypeError(`not checked: '${bound.name}'`)
  return plan
}

const outcomeOf = (bound: Bound, chain: Chain): Outcome => new BaseChecker(bound.scope).check(chain, bound.inputs[0])
