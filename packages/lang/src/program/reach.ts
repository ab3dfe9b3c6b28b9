// The agents and tools that a binding consists of and may call, at any depth.

import { boundsCalled } from '../base/base-plan.js'
import type { Bound } from '../names/names.js'
import { planOf } from '../plan/root.js'
import { agentTools, type ToolPlan, toolOf } from './tool-plan.js'

/** Of an agent, a plumb, a chain or a tool, itself included; without those of prompt files. Only for a program without errors. */
export const reachedFrom = (bound: Bound): ReadonlySet<Bound> => {
  const reached = new Set<Bound>()
  const isNew = (bound: Bound): boolean => !reached.has(bound) && reached.add(bound) !== undefined
  const addTool = ({ bound, body }: ToolPlan): void => {
    if (!isNew(bound)) return
    if (body.kind === 'chain') {
      for (const called of boundsCalled(body.chain)) addTool(toolOf(called))
      return
    }
    for (const part of body.parts) addTool(toolOf(part))
    if (body.process?.kind === 'bound') addProcess(body.process.bound)
  }
  const addAgent = (bound: Bound): void => {
    reached.add(bound)
    for (const tool of agentTools(bound)) addTool(tool)
  }
  const addProcess = (bound: Bound): void => {
    if (!isNew(bound)) return
    if (bound.binding.impl.kind === 'agent') return addAgent(bound)
    for (const { work } of planOf(bound).nodes) {
      if (work.kind === 'agent') addAgent(work.bound)
      else if (work.kind === 'plumb') addProcess(work.bound)
      else if (work.kind === 'call') addTool(toolOf(work.bound))
    }
  }
  if (bound.category === 'base') addTool(toolOf(bound))
  else addProcess(bound)
  return reached
}
