// A tool as a calling agent knows it: its types, the effects of it and of all its parts, and how long it may take.

import {
  type BasePlan,
  type Bound,
  boundsCalled,
  type CheckedTool,
  type Json,
  partsOfPlan,
  type ToolEffects,
  type ToolPlan,
  toolOf,
} from '@plumb/lang'
import { effectsOf } from '@plumb/policy'
import { settingsOf } from '../call/settings.js'
import { describedPlan } from './described-plan.js'

export const checkedTool = (plan: ToolPlan): CheckedTool => {
  const { description = '', input, output } = describedPlan(plan)
  return { ...toolEffects(plan), description, input, output, parts: partsOf(plan).map(toolEffects), timeoutMs: callTimeoutMs(plan) }
}

const toolEffects = (plan: ToolPlan): ToolEffects => {
  const effects = effectsOf(plan)
  return { name: plan.name, effects, needsApproval: settingsOf(plan, effects).needsApproval }
}

/** All the tools that it is made of. */
const partsOf = (plan: ToolPlan): ToolPlan[] => {
  const found = new Map<Bound, ToolPlan>()
  const add = (bound: Bound): void => {
    if (found.has(bound)) return
    const part = toolOf(bound)
    found.set(bound, part)
    for (const inner of boundsIn(part)) add(inner)
  }
  for (const bound of boundsIn(plan)) add(bound)
  return [...found.values()]
}

const boundsIn = ({ body }: ToolPlan): readonly Bound[] => (body.kind === 'tool' ? body.parts : boundsCalled(body.chain))

const MIN_TIMEOUT_MS = 10 * 60_000
/** The limit of Node's timers. */
const MAX_TIMER_MS = 2 ** 31 - 1

const callTimeoutMs = (plan: ToolPlan): number => Math.min(MAX_TIMER_MS, MIN_TIMEOUT_MS + longest(plan))

// Attempts with waits of up to ten seconds between them, doubled since it may have to queue; plus those of all its parts.
const longest = ({ body }: ToolPlan): number => {
  if (body.kind === 'chain') return longestOf(body.chain)
  const { timeout, retry } = body.config
  const own = 2 * (asNumber(retry) ?? 3) * ((asNumber(timeout) ?? 60) + 10) * 1000
  return sum(body.parts.map((part) => longest(toolOf(part)))) + own
}

// A trace may run its body once a round.
const longestOf = (chain: BasePlan): number => {
  const own = chain.kind === 'named' ? longest(toolOf(chain.bound)) : sum(partsOfPlan(chain).map(longestOf))
  // No spec says how many elements there will be.
  if (chain.kind === 'each') return own > 0 ? MAX_TIMER_MS : 0
  return chain.kind === 'trace' ? chain.max * own : own
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const asNumber = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined)
