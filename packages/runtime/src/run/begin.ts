// The first event of a run: its nodes and wires.

import { agentOf, type Graph } from '@plumb/lang'
import { agentAt, kindOfNode } from '../draw/describe.js'
import { toDot } from '../draw/dot.js'
import { pictureOf } from '../draw/picture.js'
import type { NodeInfo, UntimedEvent } from '../event/run-event.js'
import { placesOf, wiresOf } from '../event/wires.js'
import type { RunOptions } from '../options/run-options.js'

/** `spec`: as it was named. */
export const beginOf = (graph: Graph, spec: string, { run, agents }: RunOptions): UntimedEvent => ({
  kind: 'begin',
  time: new Date().toISOString(),
  spec,
  binding: run.binding,
  wires: [...wiresOf(graph).values()],
  nodes: nodesOf(graph, agents),
  dot: () => toDot(pictureOf(run.binding, graph)),
})

/** `said.provider`: from --provider, which precedes those of the spec and of the environment. */
const nodesOf = (graph: Graph, said: { readonly provider: string | undefined }): NodeInfo[] => {
  const places = placesOf(graph)
  return graph.nodes.map((node) => {
    const agent = agentAt(node)
    const concurrency = node.work.kind === 'agent' ? Number(agentOf(node.work.bound).config.concurrency ?? 1) : 1
    const provider = agent && !agent.command ? (said.provider ?? agent.provider ?? process.env.PLUMB_PROVIDER) : undefined
    return {
      name: places.get(node) ?? node.name,
      kind: kindOfNode(node),
      ...(provider === undefined ? {} : { provider }),
      ...(concurrency > 1 ? { concurrency } : {}),
    }
  })
}
