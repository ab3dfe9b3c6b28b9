// An agent as a tool: each call is a fresh conversation in a process of its own.

import type { AgentPlan, ToolPlan } from '@plumb/lang'

/** `timeout` in seconds. */
export const agentAsTool = (agent: AgentPlan, timeout: number): ToolPlan => {
  const { name, bound, input, output, specPath, span, config } = agent
  const description = agent.description ?? (typeof config.description === 'string' ? config.description : undefined)
  return {
    name,
    // A binding of its own, of which what the agent may do is found.
    bound: { ...bound },
    input,
    output,
    isExposed: true,
    specPath,
    span,
    ...(description === undefined ? {} : { description }),
    body: { kind: 'tool', source: 'process', config: { timeout }, process: { kind: 'bound', bound }, parts: [] },
  }
}
