// A bare chain as a tool: its leaves run in place, each binding that it names is a call of its own.

import { type BasePlan, type Bound, compileFilter, type Expression, Sink, Verdict } from '@plumb/lang'
import { type Fault, type Result, succeed } from '@plumb/wire'
import type { JsonText } from '../json-text.js'
import { choiceOf } from './choice.js'
import { eachTool } from './each.js'
import { feedbackOf } from './feedback.js'
import { inlineRun } from './inline-step.js'
import { productOf } from './product.js'
import type { Run, Runnable, Within } from './run.js'
import { sequenceOf } from './sequence.js'

/**
 * `called` returns the result of a called binding; `guard` wraps each part, which is itself a chain. `isInOrder`: one call after the other,
 * as they are written.
 */
export const chainOf = <C extends Within>(
  plan: BasePlan,
  called: (bound: Bound) => Run<C>,
  guard: (run: Run<C>) => Run<C> = (run) => run,
  isInOrder = false,
): Run<C> => guard(unguarded(plan, called, guard, isInOrder))

const unguarded = <C extends Within>(
  plan: BasePlan,
  called: (bound: Bound) => Run<C>,
  guard: (run: Run<C>) => Run<C>,
  isInOrder: boolean,
): Run<C> => {
  const runnable = (item: BasePlan): Runnable<C> => ({ run: chainOf(item, called, guard, isInOrder) })
  switch (plan.kind) {
    case 'id':
    case 'copy':
    case 'discard':
    case 'flatten':
    case 'map':
      return inlineRun(plan)
    case 'sequence':
      return sequenceOf(plan.items.map(runnable))
    case 'choice':
      return choiceOf(plan.items.map(runnable))
    case 'product':
      return productOf(plan.items.map(runnable), plan.isOnParts, isInOrder)
    case 'each':
      return eachTool(runnable(plan.body), isInOrder ? { ...plan, parallel: 1 } : plan)
    case 'trace':
      return feedbackOf(runnable(plan.body), {
        max: plan.max,
        ...(plan.until ? { until: conditionOf(plan.until, { input: plan.body.output, scope: plan.scope }) } : {}),
      })
    case 'named':
      return called(plan.bound)
  }
}

const conditionOf = (until: Expression, environment: Parameters<typeof compileFilter>[1]): ((output: JsonText) => Result<boolean>) => {
  const stage = compileFilter(until, environment)
  const sink = new Sink()
  return (output) => {
    const bytes = Buffer.from(`${output}\n`)
    const verdict = stage.run(bytes, 0, bytes.length - 1, sink)
    if (verdict === Verdict.MISMATCH || verdict === Verdict.FAILED) return { ok: false, error: stage.fault as Fault }
    return succeed(verdict !== Verdict.DROP)
  }
}
