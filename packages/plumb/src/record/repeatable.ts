// Agents whose recorded answers a resumed run gives again without asking them, which is much faster: what they answer depends on the
// message alone, and on what is the same as long as the spec and the options are.

import { agentOf, type Graph, type GraphNode, holdsMedia } from '@plumb/lang'
import { placesOf } from '../event/wires.js'
import type { RunOptions } from '../options/run-options.js'

/** By place; without those of nested plumbs, which are asked. */
export const repeatablePlaces = (graph: Graph, { programs, recording, spec }: RunOptions): ReadonlySet<string> => {
  const { record, resume } = recording
  if ((record ?? resume) === undefined || programs.agent !== undefined || spec.sourcesFd !== undefined) return new Set()
  return new Set([...placesOf(graph)].flatMap(([node, place]) => (isRepeatable(node) ? [place] : [])))
}

/** Programs, servers, tools and files answer as they are then; a limit of messages counts them. */
const OTHERS = ['command', 'via', 'tools', 'mcp', 'history', 'prompts', 'max_messages']

const isRepeatable = ({ work, inputs, outputs }: GraphNode): boolean => {
  if (work.kind !== 'agent') return false
  const { config, input } = agentOf(work.bound)
  const isWired = [...inputs, ...outputs].some(({ name }) => name !== 'input' && name !== 'output')
  return config.amnesiac === true && !isWired && !OTHERS.some((key) => config[key] !== undefined) && !holdsMedia(input)
}
