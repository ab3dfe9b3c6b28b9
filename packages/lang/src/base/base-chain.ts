// Checks bare chains against their signatures, and makes their plans.

import type { Report } from '../diagnostic/diagnostic.js'
import type { Bound } from '../names/names.js'
import type { Chain, Expression } from '../parse/ast.js'
import { isChain, lastOf } from '../parse/chain-parts.js'
import { printType } from '../types/print.js'
import type { Type } from '../types/type.js'
import type { BasePlan } from './base-plan.js'
import { BaseChecker, type CheckedChain, refuseMismatch } from './checker.js'

/** Called for each expression with its input type. */
export type Look = (expression: Expression, input: Type) => void

export const checkBaseChain = (bound: Bound, chain: Chain, report: Report, look: Look = () => {}): void => {
  const [output] = bound.outputs
  const { plan, diagnostics, seen } = outcomeOf(bound, chain)
  for (const d of diagnostics) report(d)
  for (const { expression, input } of seen) look(expression, input)
  if (plan && output)
    refuseMismatch(
      () => `'${bound.name}' gives '${printType(plan.output)}', its signature says '${printType(output)}'`,
      plan.output,
      output,
      lastOf(chain),
      report,
    )
}

/** The plan of a bare chain, as far as it has no errors. */
export const planIfRight = (bound: Bound): BasePlan | undefined => {
  const { impl } = bound.binding
  return bound.category === 'base' && isChain(impl) ? outcomeOf(bound, impl).plan : undefined
}

/** Only for a chain without errors. */
export const planOfBase = (bound: Bound): BasePlan => {
  const { impl } = bound.binding
  const plan = isChain(impl) ? outcomeOf(bound, impl).plan : undefined
  if (!plan) throw new TypeError(`not checked: '${bound.name}'`)
  return plan
}

const outcomeOf = (bound: Bound, chain: Chain): CheckedChain => {
  const outcome = outcomes.get(bound) ?? new BaseChecker(bound.scope).check(chain, bound.inputs[0])
  outcomes.set(bound, outcome)
  return outcome
}

const outcomes = new WeakMap<Bound, CheckedChain>()
