import type { AgentPlan } from '@plumb/lang'
import { fail, nearest, preview, type Result, succeed } from '@plumb/wire'

/** The one that `--agent` names, else the only one of the file; agents of modules it uses are there by `Module.name` alone. */
export const selectAgent = (agents: readonly AgentPlan[], name: string | undefined): Result<AgentPlan> => {
  if (name !== undefined) {
    const named = agents.find((agent) => agent.name === name)
    return named ? succeed(named) : fail('unknown_name', `no agent is named '${preview(name)}'${hint(name, agents)}`)
  }
  const own = agents.filter((agent) => !agent.name.includes('.'))
  const [only] = own
  if (only && own.length === 1) return succeed(only)
  if (only) return fail('spec_invalid', `the spec holds several agents, ${list(own)}; choose one with --agent`)
  const elsewhere = agents.length > 0 ? `; choose one of its modules' with --agent: ${list(agents)}` : ''
  return fail('spec_invalid', `the spec holds no agent${elsewhere}`)
}

const hint = (name: string, agents: readonly AgentPlan[]): string => {
  const near = nearest(
    name,
    agents.map((agent) => agent.name),
  )
  if (near !== undefined) return `, did you mean '${near}'?`
  return agents.length > 0 ? `; there are ${list(agents)}` : '; the spec holds none'
}

const list = (agents: readonly AgentPlan[]): string => agents.map(({ name }) => `'${name}'`).join(', ')
