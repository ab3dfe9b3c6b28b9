// A graph in which nested plumbs are drawn open: their processes in a frame, in place of the box.

import { type Edge, type Expansion, type Graph, type GraphNode, planOf } from '@plumb/lang'
import { placesOf } from './places.js'

export interface ExpandedGraph {
  readonly graph: Graph
  /** As a record names them: `polish~draft` is the process draft in the nested plumb polish. */
  readonly places: ReadonlyMap<GraphNode, string>
}

/** Boxes of a picture that could still be looked at; a plumb that would go beyond stays closed. */
const MAX_NODES = 1000

/** `levels` deep; 0: none is. */
export const expandPlumbs = (graph: Graph, levels: number): ExpandedGraph => {
  const places = new Map<GraphNode, string>(placesOf(graph))
  if (levels <= 0) return { graph, places }
  const nodes: GraphNode[] = []
  const ends = new Map<GraphNode, Ends>()
  const edges: Edge[] = []
  for (const node of graph.nodes) {
    const inner = node.work.kind === 'plumb' ? expandPlumbs(planOf(node.work.bound), levels - 1) : undefined
    if (!inner || nodes.length + inner.graph.nodes.length > MAX_NODES) {
      nodes.push(node)
      continue
    }
    const opened = inFrame(inner.graph, node)
    ends.set(node, opened.ends)
    nodes.push(...opened.nodes.values())
    edges.push(...opened.edges)
    for (const [before, now] of opened.nodes) places.set(now, `${places.get(node)}~${inner.places.get(before)}`)
  }
  edges.push(...graph.edges.map((edge) => betweenEnds(edge, ends)))
  return numbered(nodes, edges, places)
}

interface Ends {
  /** By the port of the box. */
  readonly inlets: readonly GraphNode[]
  readonly outlets: readonly GraphNode[]
}

interface Opened {
  /** By what they were in the graph of the plumb. */
  readonly nodes: ReadonlyMap<GraphNode, GraphNode>
  readonly edges: readonly Edge[]
  readonly ends: Ends
}

const inFrame = (inner: Graph, { name, within }: GraphNode): Opened => {
  const frame: Expansion = { name, ...(within ? { within } : {}) }
  const copies = new Map<Expansion, Expansion>()
  const framed = (around: Expansion | undefined): Expansion => {
    if (!around) return frame
    const known = copies.get(around) ?? { name: around.name, within: framed(around.within) }
    copies.set(around, known)
    return known
  }
  const nodes = new Map<GraphNode, GraphNode>()
  for (const node of inner.nodes) {
    const isEnd = node.work.kind === 'input' || node.work.kind === 'output'
    const copy: GraphNode = { ...node, within: framed(node.within), ...(isEnd ? asPass(node) : {}) }
    nodes.set(node, copy)
  }
  const of = (node: GraphNode) => nodes.get(node) as GraphNode
  // Ports are counted over both sides of a signature, and those of a box on each side.
  const endsOf = (kind: 'input' | 'output'): GraphNode[] =>
    inner.nodes
      .flatMap((node) => (node.work.kind === kind ? [{ node, port: node.work.port }] : []))
      .sort((a, b) => a.port - b.port)
      .map(({ node }) => of(node))
  const [inlets, outlets] = [endsOf('input'), endsOf('output')]
  return { nodes, edges: inner.edges.map((edge) => ({ ...edge, from: of(edge.from), to: of(edge.to) })), ends: { inlets, outlets } }
}

// The ends are no boxes of their own: wires go through them.
const asPass = ({ work, inputs, outputs }: GraphNode): Pick<GraphNode, 'work' | 'inputs' | 'outputs'> => {
  const ports = work.kind === 'input' ? outputs : inputs
  return { work: { kind: 'pass', as: work.kind === 'input' ? 'inlet' : 'outlet', isSelector: false }, inputs: ports, outputs: ports }
}

const betweenEnds = (edge: Edge, ends: ReadonlyMap<GraphNode, Ends>): Edge => {
  const outlet = ends.get(edge.from)?.outlets[edge.output]
  const inlet = ends.get(edge.to)?.inlets[edge.input]
  return { ...edge, ...(outlet ? { from: outlet, output: 0 } : {}), ...(inlet ? { to: inlet, input: 0 } : {}) }
}

// Wires are drawn in the order of these numbers.
const numbered = (nodes: readonly GraphNode[], edges: readonly Edge[], places: ReadonlyMap<GraphNode, string>): ExpandedGraph => {
  const copies = new Map(nodes.map((node, id) => [node, { ...node, id }]))
  const of = (node: GraphNode) => copies.get(node) as GraphNode
  return {
    graph: { nodes: [...copies.values()], edges: edges.map((edge) => ({ ...edge, from: of(edge.from), to: of(edge.to) })) },
    places: new Map([...copies].map(([node, copy]) => [copy, places.get(node) ?? ''])),
  }
}
