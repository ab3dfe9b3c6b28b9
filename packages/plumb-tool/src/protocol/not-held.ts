// Whether the tools that an agent really has, with those of its servers, are those of its protocol: known once its servers are connected.

import { type Bound, type ToolProtocol, toolProtocolOf } from '@plumb/lang'
import { type Fault, fault, nearest, preview } from '@plumb/wire'
import { labelsOf } from '@plumb/wire/protocol'

/** `tools`: declared ones and those of servers, by the names that a model sees. Empty: each has its place, or there is no protocol. */
export const notHeld = (agent: Bound, tools: readonly string[]): readonly Fault[] => {
  const protocol = toolProtocolOf(agent)
  return protocol ? whyNotHeld(protocol, agent.name, tools) : []
}

/** Of what the agent answers itself, the spec says all. */
const OWN: readonly string[] = ['compose', 'skill']

export const whyNotHeld = ({ automaton, free = [] }: ToolProtocol, agent: string, tools: readonly string[]): readonly Fault[] => {
  const { name } = automaton
  const has = new Set([...tools, ...OWN])
  const labels = new Set(labelsOf(automaton))
  const lacks = (by: string, tool: string): Fault => {
    const near = nearest(tool, tools)
    const hint = near === undefined ? `it has ${tools.length === 0 ? 'none' : preview(tools.join(', '), 200)}` : `did you mean '${near}'?`
    return fault('protocol_invalid', `${by} names '${preview(tool)}', and agent '${agent}' has no tool of that name: ${hint}`)
  }
  const placed = (tool: string): boolean => labels.has(tool) || free.includes(tool)
  return [
    ...[...labels].filter((tool) => !has.has(tool)).map((tool) => lacks(`protocol '${name}'`, tool)),
    ...free.filter((tool) => !has.has(tool)).map((tool) => lacks("'free'", tool)),
    ...tools
      .filter((tool) => !placed(tool))
      .map((tool) =>
        fault('protocol_invalid', `tool '${preview(tool)}' of agent '${agent}' occurs neither in protocol '${name}' nor in 'free'`),
      ),
  ]
}
