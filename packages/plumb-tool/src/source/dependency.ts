// The bindings that a tool refers to directly.

import { type Bound, boundsCalled, type ToolPlan } from '@plumb/lang'

export const dependenciesOf = ({ body }: ToolPlan): ReadonlySet<Bound> => {
  if (body.kind === 'chain') return new Set(boundsCalled(body.chain))
  const process = body.process?.kind === 'bound' ? [body.process.bound] : []
  return new Set([...body.parts, ...process])
}
