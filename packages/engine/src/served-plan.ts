// Whether requests of a binding can be runs by workers.

import { type Bound, planOf } from '@plumb/lang'
import { readPrices } from '@plumb/ledger'
import type { RunOptions } from '@plumb/runtime/options'
import type { LoadedSpec } from '@plumb/runtime/spec'
import { fail, type Result, succeed } from '@plumb/wire'
import type { LendingLimits, SharedLimits } from './lending.js'
import { planRun, type RunPlan } from './run-plan.js'

export interface PlannedService {
  readonly plan: RunPlan
  /** What a request may cost (nanodollars), and the whole server, as its run has it. */
  readonly limitsOf: (maxCost: number | undefined) => string | null
}

/** `cannot_run`: they are worked in the server itself. */
export const planServed = async (
  loaded: LoadedSpec,
  bound: Bound,
  options: RunOptions,
  shared: SharedLimits | undefined,
): Promise<Result<PlannedService>> => {
  if (bound.category === 'base') return fail('cannot_run', `'${bound.name}' is a tool`)
  const { prices: file } = options.display
  const prices = file === undefined ? succeed(undefined) : readPrices(file)
  if (!prices.ok) return prices
  const plan = await planRun(loaded, bound, planOf(bound), { ...options, run: { ...options.run, binding: bound.name } })
  if (!plan.ok) return plan
  const [refusal] = plan.value.refusals.values()
  if (refusal) return { ok: false, error: refusal }
  const limitsOf = (cost: number | undefined): string | null => {
    const limits: LendingLimits = { calls: null, tokens: null, cost: cost ?? null, prices: prices.value, shared }
    return cost === undefined && !shared ? null : JSON.stringify(limits)
  }
  return succeed({ plan: plan.value, limitsOf })
}
