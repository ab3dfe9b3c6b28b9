// Where the branches of each barrier split (plumbing(5), Joins): the nearest place that every message passes on its way to the barrier. In
// terms of flow graphs it is the immediate dominator of the barrier.

import type { Edge, Graph, GraphNode } from './graph.js'

/** An output of a node, or its input, if the branches leave it at several outputs. */
export interface GraphPosition {
  readonly node: GraphNode
  readonly output: number | undefined
  /** The nearest other place of the graph that every message has passed on its way to this one. */
  readonly above: GraphPosition | undefined
}

export interface Parting {
  readonly barrier: GraphNode
  /** Undefined: the branches have no common place. Their messages are joined in order of arrival. */
  readonly place: GraphPosition | undefined
  /** By input of the barrier: the processes between the place and that input. */
  readonly branches: readonly ReadonlySet<GraphNode>[]
}

/** Where messages get origins of their own. */
export interface Origins {
  /** One for each reachable barrier. */
  readonly partings: readonly Parting[]
  /** By the entrance of each(p): where its elements leave it. */
  readonly elements: ReadonlyMap<GraphNode, GraphPosition>
  /** By the entrance of p + q: where messages leave it for each of them. */
  readonly attempts: ReadonlyMap<GraphNode, readonly GraphPosition[]>
  /** Nodes whose inputs keep messages for a port `error`, by where they enter there. */
  readonly kept: ReadonlyMap<GraphNode, GraphPosition>
}

export const partingsOf = (graph: Graph): readonly Parting[] => originsOf(graph).partings

export const originsOf = (graph: Graph): Origins => {
  const barriers = graph.nodes.filter((node) => node.work.kind === 'barrier')
  const eaches = graph.nodes.filter((node) => node.work.kind === 'each')
  const choices = graph.nodes.filter((node) => node.work.kind === 'choice')
  const handled = new Set(graph.nodes.flatMap(({ work }) => (work.kind === 'failures' ? work.of : [])))
  if (barriers.length + eaches.length + choices.length + handled.size === 0)
    return { partings: [], elements: new Map(), attempts: new Map(), kept: new Map() }
  const flow = new Flow(graph)
  const partings = barriers.flatMap((barrier) => {
    const place = flow.placeAbove(barrier)
    return place === 'unreachable' ? [] : [{ barrier, vertex: place }]
  })
  const exits = eaches.map((node) => ({ node, vertex: flow.exitOf(node) }))
  const attempts = choices.map((node) => ({ node, vertices: node.outputs.map((_, output) => flow.exitOf(node, output)) }))
  const entrances = [...handled].map((node) => ({ node, vertex: flow.entranceOf(node) }))
  const retries = attempts.flatMap(({ vertices }) => vertices.map((vertex) => ({ vertex })))
  const vertices = [...partings, ...exits, ...retries, ...entrances].flatMap(({ vertex }) => (vertex === undefined ? [] : [vertex]))
  const places = flow.placesAt(new Set(vertices))
  return {
    partings: partings.map(({ barrier, vertex }) => ({
      barrier,
      place: vertex === undefined ? undefined : places.get(vertex),
      branches: barrier.inputs.map((_, input) => flow.branch(barrier, input, vertex)),
    })),
    elements: new Map(exits.map(({ node, vertex }) => [node, places.get(vertex) as GraphPosition])),
    attempts: new Map(attempts.map(({ node, vertices }) => [node, vertices.map((vertex) => places.get(vertex) as GraphPosition)])),
    kept: new Map(entrances.map(({ node, vertex }) => [node, places.get(vertex) as GraphPosition])),
  }
}

/** The root precedes all sources of messages. */
const ROOT = 0

/**
 * The possible paths of a message: a vertex for the inputs of each node and one for each of its outputs. Telemetry and control replies of
 * an agent answer no message; a control message has no result.
 */
class Flow {
  readonly #nodes: (GraphNode | undefined)[] = [undefined]
  readonly #outputs: (number | undefined)[] = [undefined]
  readonly #into = new Map<GraphNode, number>()
  /** Of a plumb with several inputs, one for each: what leaves it stems from a message at one of them. */
  readonly #apart = new Map<GraphNode, readonly number[]>()
  readonly #outOf = new Map<GraphNode, number[]>()
  readonly #next: number[][] = [[]]
  readonly #before: number[][] = [[]]
  readonly #edgesInto = new Map<GraphNode, Edge[]>()
  readonly #dominators: readonly (number | undefined)[]

  constructor({ nodes, edges }: Graph) {
    for (const node of nodes) {
      this.#into.set(node, this.#vertex(node, undefined))
      if (node.work.kind === 'plumb' && node.inputs.length > 1)
        this.#apart.set(
          node,
          node.inputs.map(() => this.#vertex(node, undefined)),
        )
      this.#outOf.set(
        node,
        node.outputs.map((_, output) => this.#vertex(node, output)),
      )
      this.#edgesInto.set(node, [])
    }
    for (const node of nodes) {
      if (node.work.kind === 'empty') continue
      if (node.work.kind === 'failures') {
        // A failure stems from the message that entered.
        for (const entrance of node.work.of) this.#connect(this.#vertexInto(entrance), this.#vertexOutOf(node, 0))
        continue
      }
      const isSource = node.work.kind === 'input' || node.inputs.length === 0
      for (const [output, vertex] of (this.#outOf.get(node) ?? []).entries()) {
        const isOwnWord = node.work.kind === 'agent' && node.outputs[output]?.name !== 'output'
        // A result stems from what entered: a list from a list, not from any of its elements.
        const isExit = node.work.kind === 'gather' || node.work.kind === 'select'
        const before = isSource || isOwnWord ? [ROOT] : (this.#apart.get(node) ?? [this.#vertexInto(node)])
        if (!isExit) for (const one of before) this.#connect(one, vertex)
      }
    }
    const entrances = new Map(
      nodes.flatMap((node) => (node.work.kind === 'each' || node.work.kind === 'choice' ? [[node.work.inside, node] as const] : [])),
    )
    for (const node of nodes) {
      const isExit = node.work.kind === 'gather' || node.work.kind === 'select'
      const entrance = isExit && entrances.get(node.work.inside)
      if (entrance) this.#connect(this.#vertexInto(entrance), this.#vertexOutOf(node, 0))
    }
    for (const edge of edges) {
      const { from, output, to, input } = edge
      if (to.work.kind === 'agent' && to.inputs[input]?.name !== 'input') continue
      this.#connect(this.#vertexOutOf(from, output), this.#vertexInto(to))
      const apart = this.#apart.get(to)?.[input]
      if (apart !== undefined) this.#connect(this.#vertexOutOf(from, output), apart)
      this.#edgesInto.get(to)?.push(edge)
    }
    this.#dominators = dominatorsOf(this.#next, this.#before)
  }

  placeAbove(node: GraphNode): number | undefined | 'unreachable' {
    const above = this.#dominators[this.#vertexInto(node)]
    return above === undefined ? 'unreachable' : above === ROOT ? undefined : above
  }

  /** Where messages leave it. */
  exitOf(node: GraphNode, output = 0): number {
    return this.#vertexOutOf(node, output)
  }

  /** Where messages enter it. */
  entranceOf(node: GraphNode): number {
    return this.#vertexInto(node)
  }

  /** Each of them, and which of the others dominates it. */
  placesAt(vertices: ReadonlySet<number>): ReadonlyMap<number, GraphPosition> {
    const places = new Map<number, GraphPosition>()
    const placeAt = (vertex: number): GraphPosition => {
      const known = places.get(vertex)
      if (known) return known
      let up = this.#dominators[vertex] ?? ROOT
      while (up !== ROOT && !vertices.has(up)) up = this.#dominators[up] ?? ROOT
      const above = up === ROOT ? undefined : placeAt(up)
      const place = { node: this.#nodes[vertex] as GraphNode, output: this.#outputs[vertex], above }
      places.set(vertex, place)
      return place
    }
    for (const vertex of vertices) placeAt(vertex)
    return places
  }

  branch(barrier: GraphNode, input: number, place: number | undefined): ReadonlySet<GraphNode> {
    const found = new Set<GraphNode>()
    const seen = new Set<number>()
    const rest = (this.#edgesInto.get(barrier) ?? [])
      .filter((edge) => edge.input === input)
      .map(({ from, output }) => this.#vertexOutOf(from, output))
    for (let vertex = rest.pop(); vertex !== undefined; vertex = rest.pop()) {
      if (vertex === ROOT || vertex === place || seen.has(vertex)) continue
      seen.add(vertex)
      found.add(this.#nodes[vertex] as GraphNode)
      rest.push(...(this.#before[vertex] ?? []))
    }
    return found
  }

  #vertex(node: GraphNode, output: number | undefined): number {
    this.#nodes.push(node)
    this.#outputs.push(output)
    this.#next.push([])
    this.#before.push([])
    return this.#nodes.length - 1
  }

  #vertexInto(node: GraphNode): number {
    return this.#into.get(node) as number
  }

  #vertexOutOf(node: GraphNode, output: number): number {
    return this.#outOf.get(node)?.[output] as number
  }

  #connect(from: number, to: number): void {
    this.#next[from]?.push(to)
    this.#before[to]?.push(from)
  }
}

/**
 * The immediate dominator of each reachable vertex, by the algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm",
 * 2001).
 */
const dominatorsOf = (next: readonly (readonly number[])[], before: readonly (readonly number[])[]): readonly (number | undefined)[] => {
  const order = postorderOf(next)
  const place = new Array<number>(next.length).fill(-1)
  for (const [i, vertex] of order.entries()) place[vertex] = i
  const dominators = new Array<number | undefined>(next.length).fill(undefined)
  dominators[ROOT] = ROOT
  const meet = (a: number, b: number): number => {
    let [one, other] = [a, b]
    while (one !== other) {
      while ((place[one] as number) < (place[other] as number)) one = dominators[one] as number
      while ((place[other] as number) < (place[one] as number)) other = dominators[other] as number
    }
    return one
  }
  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false
    for (let i = order.length - 2; i >= 0; i--) {
      const vertex = order[i] as number
      const known = (before[vertex] ?? []).filter((v) => dominators[v] !== undefined)
      const found = known.reduce(meet)
      if (found === dominators[vertex]) continue
      dominators[vertex] = found
      hasChanged = true
    }
  }
  return dominators
}

// Iterative: chains may be thousands long. The root comes last.
const postorderOf = (next: readonly (readonly number[])[]): number[] => {
  const order: number[] = []
  const seen = new Set([ROOT])
  const path = [{ vertex: ROOT, at: 0 }]
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const to = next[top.vertex]?.[top.at++]
    if (to === undefined) {
      order.push(top.vertex)
      path.pop()
    } else if (!seen.has(to)) {
      seen.add(to)
      path.push({ vertex: to, at: 0 })
    }
  }
  return order
}
