// Which processes of a graph can get a first message: the least fixed point over its wires.

import type { Bound } from '../names/names.js'
import type { Edge, Expansion, Graph, GraphNode } from './graph.js'

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
    // What one side says goes to the other.
    if (work.kind === 'conversation') return outputs.map((_, i) => reaches(node, i))
    const part = work.kind === 'plumb' ? work.bound : work.kind === 'pass' ? work.chain : undefined
    if (!part || depth >= MAX_DEPTH || !starts(node)) return outputs.map(() => starts(node))
    const fed = inputs.map((_, i) => reaches(node, i))
    const sent = outputsOf(part, fed, graphOf, depth + 1)
    // Ends of conversations are no outputs of the body.
    return sent.length === outputs.length ? sent : outputs.map(() => true)
  }
  const readersOf = new Map(graph.nodes.map((node) => [node, [] as Edge[]]))
  for (const edge of graph.edges) readersOf.get(edge.from)?.push(edge)
  const exits = exitsOf(graph)
  const failures = failuresOf(graph)
  // A node is looked at again for each of its inputs that a message has come to.
  const rest = [...graph.nodes]
  const reach = (node: GraphNode, input: number): void => {
    if (reaches(node, input)) return
    reached.add(keyOf(node, input))
    rest.push(node, ...(failures.get(node) ?? []))
  }
  for (let node = rest.pop(); node; node = rest.pop()) {
    const from = node
    const isNew = sends(from).map((is, output) => is && !sent.has(keyOf(from, output)))
    for (const [output, is] of isNew.entries()) if (is) sent.add(keyOf(from, output))
    for (const { output, to, input } of readersOf.get(node) ?? []) if (isNew[output]) reach(to, input)
    // An empty list, or a failure, comes out of it whatever is inside.
    const exit = node.work.kind === 'each' && starts(node) ? exits.get(node.work.inside) : undefined
    if (exit) reach(exit, 0)
  }
  return { reaches, starts }
}

/** By what is fed; the same graph is asked about again wherever its binding stands. */
const known = new WeakMap<Graph, Map<string, readonly boolean[]>>()

const outputsOf = (bound: Bound, fed: readonly boolean[], graphOf: GraphOf, depth: number): readonly boolean[] => {
  const graph = graphOf(bound)
  const found = known.get(graph) ?? new Map<string, readonly boolean[]>()
  known.set(graph, found)
  const key = fed.join()
  const sent = found.get(key)
  if (sent) return sent
  const { starts } = firstMessages(graph, graphOf, fed, depth)
  const outputs = graph.nodes.filter(({ work }) => work.kind === 'output').map(starts)
  found.set(key, outputs)
  return outputs
}

const exitsOf = ({ nodes }: Graph): ReadonlyMap<Expansion, GraphNode> =>
  new Map(nodes.flatMap((node) => (node.work.kind === 'gather' ? [[node.work.inside, node] as const] : [])))

/** By node: the ports `error` that tell its failures. */
const failuresOf = ({ nodes }: Graph): ReadonlyMap<GraphNode, readonly GraphNode[]> => {
  const found = new Map<GraphNode, GraphNode[]>()
  for (const node of nodes) {
    if (node.work.kind !== 'failures') continue
    for (const from of node.work.of) found.set(from, [...(found.get(from) ?? []), node])
  }
  return found
}

const keyOf = ({ id }: GraphNode, port: number): string => `${id}.${port}`
