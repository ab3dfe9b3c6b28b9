// Which processes of a graph can get a first message: the least fixed point over its wires.

import type { Bound } from '../names/names.js'
import type { Expansion, Graph, GraphNode } from './graph.js'

export interface FirstMessages {
  /** Whether a message can come to this input. */
  reaches(node: GraphNode, input: number): boolean
  /** Whether this node can begin to work: a barrier wants all its inputs, others one. */
  starts(node: GraphNode): boolean
}

export type GraphOf = (bound: Bound) => Graph

/** Bodies in bodies are looked into so deep; further in, an output is taken to follow from any input. */
const MAX_DEPTH = 20

/** `isFed`: by number of input of the binding; without it, all are. */
export const firstMessages = (graph: Graph, graphOf: GraphOf, isFed?: readonly boolean[], depth = 0): FirstMessages => {
  const reached = new Set<string>()
  const sent = new Set<string>()
  const reaches = (node: GraphNode, input: number) => reached.has(keyOf(node, input))
  const starts = (node: GraphNode): boolean => {
    const { work, inputs } = node
    if (work.kind === 'empty') return false
    if (work.kind === 'input') return isFed?.[work.port] ?? true
    if (work.kind === 'failures') return work.of.some((from) => from.work.kind === 'input' || from.inputs.some((_, i) => reaches(from, i)))
    const isWhole = work.kind === 'barrier' || work.kind === 'join'
    return isWhole ? inputs.every((_, i) => reaches(node, i)) : inputs.length === 0 || inputs.some((_, i) => reaches(node, i))
  }
  const sends = (node: GraphNode): readonly boolean[] => {
    const { work, inputs, outputs } = node
    // Telemetry and replies to control answer no message.
    if (work.kind === 'agent') return outputs.map(({ name }) => name !== 'output' || starts(node))
    const part = work.kind === 'plumb' ? work.bound : work.kind === 'pass' ? work.chain : undefined
    if (!part || inputs.length < 2 || depth >= MAX_DEPTH) return outputs.map(() => starts(node))
    const fed = inputs.map((_, i) => reaches(node, i))
    return fed.every((is) => is) ? outputs.map(() => true) : outputsOf(part, fed, graphOf, depth + 1)
  }
  const exits = exitsOf(graph)
  for (let isNew = true; isNew; ) {
    isNew = false
    for (const node of graph.nodes) {
      for (const [output, is] of sends(node).entries())
        if (is && !sent.has(keyOf(node, output))) {
          sent.add(keyOf(node, output))
          isNew = true
        }
      // An empty list, or a failure, comes out of it whatever is inside.
      const exit = node.work.kind === 'each' && starts(node) ? exits.get(node.work.inside) : undefined
      if (exit) reached.add(keyOf(exit, 0))
    }
    for (const { from, output, to, input } of graph.edges) if (sent.has(keyOf(from, output))) reached.add(keyOf(to, input))
  }
  return { reaches, starts }
}

const outputsOf = (bound: Bound, fed: readonly boolean[], graphOf: GraphOf, depth: number): readonly boolean[] => {
  const graph = graphOf(bound)
  const { starts } = firstMessages(graph, graphOf, fed, depth)
  return graph.nodes.filter(({ work }) => work.kind === 'output').map(starts)
}

const exitsOf = ({ nodes }: Graph): ReadonlyMap<Expansion, GraphNode> =>
  new Map(nodes.flatMap((node) => (node.work.kind === 'gather' ? [[node.work.inside, node] as const] : [])))

const keyOf = ({ id }: GraphNode, port: number): string => `${id}.${port}`
