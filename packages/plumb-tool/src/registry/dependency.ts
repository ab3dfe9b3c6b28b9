// Which other bindings a tool is made of, one step deep.

import type { BasePlan, Bound, ToolPlan } from '@plumb/lang'

export const dependenciesOf = ({ body }: ToolPlan): ReadonlySet<Bound> => {
  if (body.kind === 'chain') return new Set(namedIn(body.chain))
  const process = body.process?.kind === 'bound' ? [body.process.bound] : []
  return new Set([...body.parts, ...process])
}

const namedIn = (plan: BasePlan): Bound[] => {
  switch (plan.kind) {
    case 'sequence':
    case 'choice':
    case 'product':
      return plan.items.flatMap(namedIn)
    case 'trace':
      return namedIn(plan.body)
    case 'named':
      return [plan.bound]
    default:
      return []
  }
}
