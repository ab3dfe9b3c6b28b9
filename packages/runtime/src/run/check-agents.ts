// Checks agents with servers before the servers are started, which takes time and would be in vain.

import { type AgentPlan, agentOf, checkedAgent, type Graph, writeAgent } from '@plumb/lang'
import { childEnv, type Reporter, spawnPlumb } from '@plumb/wire'
import { hasServers, type SpawnSettings } from '../child/agent-start.js'
import { ChildErrors } from '../child/errors.js'
import { checkPlan } from '../child/plan.js'

/** False: errors in the configuration of an agent were reported, and nothing may be started. */
export const checkAgents = async (graph: Graph, settings: SpawnSettings, reporter: Reporter): Promise<boolean> => {
  const plans = graph.nodes.flatMap(({ work }) => (work.kind === 'agent' ? [agentOf(work.bound)] : []))
  if (!plans.some(hasServers)) return true
  const own = settings.options.programs.agent === undefined ? plans.filter(({ config }) => !config.command && !config.via) : []
  const checked = await Promise.all(
    [...new Map(own.map((plan) => [plan.bound, plan])).values()].map((plan) => check(plan, settings, reporter)),
  )
  return !checked.includes(false)
}

const check = async (plan: AgentPlan, settings: SpawnSettings, reporter: Reporter): Promise<boolean> => {
  const { files, authoritySource } = settings
  const grant = authoritySource.authorityFor(plan)
  const started = spawnPlumb({
    ...checkPlan(plan, settings),
    files,
    authority: grant?.(),
    agent: writeAgent(checkedAgent(plan, [])),
    env: childEnv('ours'),
  })
  if (!started.ok) return true
  const { child } = started.value
  const errors = new ChildErrors(child.stderr, { process: plan.name, reporter, report: settings.report, isHidden: false })
  const { status } = await child.exited
  return status !== 2 || errors.reported === 0
}
