// The tools that laws are tested on: deterministic ones without effects, without deliberate delays.

import { type ToolPlan, toolOf } from '@plumb/lang'
import { secure } from '../call/secure.js'
import type { Tool } from '../call/tool.js'
import type { Registered } from '../registry/registry.js'
import { dependenciesOf } from '../source/dependency.js'
import { makeTool } from '../source/make.js'

/** Without retries, cache and breaker. */
export const trialTool = (plan: ToolPlan): Tool => {
  const made = makeTool(plan, { resolve: (bound) => trialTool(toolOf(bound)) })
  if (!made.ok) throw new TypeError(`not looked at: '${plan.name}'`)
  return secure(made.value, { effects: [], needsApproval: false, attempts: 1 })
}

/** Why no law can be tested on it. Undefined: one can. */
export const whyNotTried = ({ plan, effects }: Registered): string | undefined =>
  effects.length > 0 ? `has effects: ${effects.join(', ')}` : unsteadyPart(plan)

const unsteadyPart = (plan: ToolPlan): string | undefined => {
  if (plan.body.kind === 'tool' && plan.body.source === 'flaky') return `'${plan.name}' fails by chance`
  if (plan.body.kind === 'tool' && plan.body.source === 'spy') return `'${plan.name}' records its calls`
  for (const bound of dependenciesOf(plan)) {
    const reason = bound.category === 'base' ? unsteadyPart(toolOf(bound)) : undefined
    if (reason !== undefined) return reason
  }
  return undefined
}
