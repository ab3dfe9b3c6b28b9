// The nodes of a graph as they are told of.

import { agentOf, type Graph } from '@plumb/lang'
import { agentAt, kindOf } from '../draw/describe.js'
import type { WatchNode } from './run-event.js'
import { placesOf } from './wires.js'

/** `provider`: of --provider, else of the environment after what the spec says. */
export const nodesOf = (graph: Graph, said: { readonly provider: string | undefined }): WatchNode[] => {
  const places = placesOf(graph)
  return graph.nodes.map((node) => {
    const agent = agentAt(node)
    const concurrency = node.work.kind === 'agent' ? Number(agentOf(node.work.bound).config.concurrency ?? 1) : 1
    const provider = agent && !agent.command ? (said.provider ?? agent.provider ?? process.env.PLUMB_PROVIDER) : undefined
    return {
      name: places.get(node) ?? node.name,
      kind: kindOf(node),
      ...(provider === undefined ? {} : { provider }),
      ...(concurrency > 1 ? { concurrency } : {}),
    }
  })
}
