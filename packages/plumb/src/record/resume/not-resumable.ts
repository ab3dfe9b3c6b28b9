// Why a run cannot be resumed: where its record does not determine the state of its agents.

import { agentOf, type Graph, type GraphNode, planOf } from '@plumb/lang'
import { placesOf } from '../../event/wires.js'
import { cyclesOf } from '../../graph/find-cycles.js'

/** The reasons, for an error; empty: it can be resumed. Nested plumbs are included. */
export const whyNotResumable = (graph: Graph, agentProgram: string | undefined): string[] => [
  ...cyclesOf(graph).map(
    (nodes) => `in the cycle ${[...nodes, nodes[0]].map((n) => n?.name).join(' -> ')} messages may come in another order`,
  ),
  ...[...placesOf(graph)].flatMap(([node, place]) => {
    const { work } = node
    if (work.kind === 'plumb') return whyNotResumable(planOf(work.bound), agentProgram).map((words) => `in '${place}', ${words}`)
    return work.kind === 'agent' ? whyNotResumableAt(node, place, graph, agentOf(work.bound).config, agentProgram) : []
  }),
]

const whyNotResumableAt = (
  node: GraphNode,
  place: string,
  { edges }: Graph,
  config: Readonly<Record<string, unknown>>,
  agentProgram: string | undefined,
): string[] => {
  const wired = [
    ...edges.filter((e) => e.to === node).map((e) => node.inputs[e.input]?.name),
    ...edges.filter((e) => e.from === node).map((e) => node.outputs[e.output]?.name),
  ].find((name) => name !== 'input' && name !== 'output')
  const isForeign = config.command !== undefined || agentProgram !== undefined
  return [
    ...(wired === undefined ? [] : [`port '${wired}' of '${place}' is wired, and what went over it changed what it did`]),
    ...(isForeign && config.amnesiac !== true
      ? [`what the program of '${place}' remembers cannot be restored ('amnesiac: true' says that it remembers nothing)`]
      : []),
    ...(config.max_messages === undefined ? [] : [`'${place}' counts its messages (max_messages)`]),
  ]
}
