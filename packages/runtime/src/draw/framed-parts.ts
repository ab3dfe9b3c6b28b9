// A graph with a frame around each of the parts that may run on machines of their own.

import type { Edge, Expansion, Graph, GraphNode } from '@plumb/lang'
import { partsOf } from '@plumb/lang/parts'

export const framedParts = (graph: Graph): Graph => {
  const framed = new Map<GraphNode, GraphNode>(graph.nodes.map((node) => [node, node]))
  for (const { id, kind, nodes } of partsOf(graph)) {
    const frame: Expansion = { name: `part ${id}${kind === 'owned' ? ', owned' : ''}` }
    const expansions = new Map<Expansion, Expansion>()
    const framedIn = (within: Expansion | undefined): Expansion => {
      if (!within) return frame
      const known = expansions.get(within)
      if (known) return known
      const copy = { name: within.name, within: framedIn(within.within) }
      expansions.set(within, copy)
      return copy
    }
    for (const node of nodes) framed.set(node, { ...node, within: framedIn(node.within) })
  }
  const of = (node: GraphNode) => framed.get(node) as GraphNode
  return {
    nodes: graph.nodes.map(of),
    edges: graph.edges.map((edge): Edge => ({ ...edge, from: of(edge.from), to: of(edge.to) })),
  }
}
