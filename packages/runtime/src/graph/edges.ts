// The edges of a graph indexed by their ends, so that wiring takes time proportional to the number of processes.

import type { Edge, Graph, GraphNode } from '@plumb/lang'

export class Edges {
  readonly #into = new Map<GraphNode, Edge[]>()
  readonly #outOf = new Map<GraphNode, Edge[]>()

  constructor({ nodes, edges }: Graph) {
    for (const node of nodes) {
      this.#into.set(node, [])
      this.#outOf.set(node, [])
    }
    for (const edge of edges) {
      this.#into.get(edge.to)?.push(edge)
      this.#outOf.get(edge.from)?.push(edge)
    }
  }

  into(node: GraphNode, input: number): readonly Edge[] {
    return (this.#into.get(node) ?? []).filter((edge) => edge.input === input)
  }

  outOf(node: GraphNode): readonly Edge[] {
    return this.#outOf.get(node) ?? []
  }
}
