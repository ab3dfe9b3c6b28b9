// Splits a graph into parts that may run on different machines: only messages between parts have to be stored. Each process is a part, with
// the expressions after it; a cycle, a barrier with its branches, an each and a `+` are never split.

import { type Edge, type Graph, type GraphNode, nodesBehind } from '../plan/graph.js'
import { partingsOf } from '../plan/parting.js'
import { planOf } from '../plan/root.js'
import { agentOf, asksPerson } from '../program/agent-plan.js'

export interface Part {
  /** From 1, in the order of the program: equal for equal specs. */
  readonly id: number
  /** The first process in it, else its first expression. */
  readonly name: string
  readonly nodes: readonly GraphNode[]
  /** `owned`: it has state, so that only one process at a time may run it. */
  readonly kind: 'free' | 'owned'
  /** Its state is complete only once it is quiet: it gets the next message when it has finished the last. */
  readonly isOneByOne: boolean
  /** Messages wait in it for others, however many, without being finished. */
  readonly holdsMessages: boolean
  /** Its inputs, by the output of another part, or of the whole graph, that they come from. */
  readonly inputs: readonly PartOutput[]
  /** Its outputs that another part, or an output of the whole graph, reads. */
  readonly outputs: readonly PartOutput[]
}

/** An output of a node. */
export interface PartOutput {
  readonly node: GraphNode
  readonly output: number
}

export const partsOf = (graph: Graph): readonly Part[] => {
  const groups = new Groups(graph)
  groups.joinWhole()
  groups.joinPure()
  groups.joinCircles()
  return groups
    .list()
    .sort(([a], [b]) => (a?.id ?? 0) - (b?.id ?? 0))
    .map((nodes, i) => describe(nodes, i + 1, graph, groups.cyclic))
}

/** One part as a graph of its own. If it has several inputs or outputs, each is named after the node that it comes from. */
export const partOf = (graph: Graph, { nodes, inputs, outputs }: Part): Graph => {
  const within = new Set(nodes)
  const names = namesOf([...inputs, ...outputs])
  const end = (kind: 'input' | 'output', source: PartOutput, isOnly: boolean, port: number): GraphNode => {
    const { span, outputs } = source.node
    const type = outputs[source.output]?.type
    const name = isOnly ? kind : (names[port] ?? kind)
    const ends = { inputs: [{ name: 'input', type }], outputs: [{ name: 'output', type }] }
    return { id: graph.nodes.length + port, name, span, work: { kind, port }, ...ends }
  }
  // An input of the whole graph keeps its name: a port `error` may refer to it.
  const entrances = inputs.map((source, i) => ({
    ...source,
    end: source.node.work.kind === 'input' ? source.node : end('input', source, inputs.length === 1, i),
  }))
  const exits = outputs.map((source, i) => end('output', source, outputs.length === 1, inputs.length + i))
  const edges = graph.edges.flatMap((edge): Edge[] => {
    if (!within.has(edge.to)) return []
    if (within.has(edge.from)) return [edge]
    const entrance = entrances.find(({ node, output }) => node === edge.from && output === edge.output)
    return entrance ? [{ ...edge, from: entrance.end, output: 0 }] : []
  })
  const out = outputs.map(({ node, output }, i): Edge => ({ from: node, output, to: exits[i] as GraphNode, input: 0, isChecked: false }))
  return { nodes: [...entrances.map((entrance) => entrance.end), ...nodes, ...exits], edges: [...edges, ...out] }
}

/** The name of each end of a part: the node that it comes from, with the port unless that is `output`, and a number to make it unique. */
const namesOf = (sources: readonly PartOutput[]): string[] => {
  const times = new Map<string, number>()
  return sources.map(({ node, output }) => {
    const port = node.outputs[output]?.name ?? 'output'
    const name = port === 'output' || node.work.kind === 'input' ? node.name : `${node.name}@${port}`
    const time = (times.get(name) ?? 0) + 1
    times.set(name, time)
    return time === 1 ? name : `${name}.${time}`
  })
}

const isEnd = ({ work }: GraphNode): boolean => work.kind === 'input' || work.kind === 'output'

const PURE = new Set<GraphNode['work']['kind']>(['pass', 'map', 'filter', 'discard', 'empty', 'flatten'])

/** Groups of nodes that are in one part, merged step by step. */
class Groups {
  readonly #graph: Graph
  readonly #of = new Map<GraphNode, Set<GraphNode>>()
  /** Whether a group contains a process, or something that must not be split. */
  readonly #heavy = new Set<Set<GraphNode>>()
  /** The successors and predecessors of each node; a failure goes to its port. */
  readonly #next: Map<GraphNode, GraphNode[]>
  readonly #before: Map<GraphNode, GraphNode[]>
  /** In topological order; without nodes in, or after, a cycle. */
  readonly #order: GraphNode[] = []
  readonly #cycles: GraphNode[][]

  constructor(graph: Graph) {
    const { nodes, edges } = graph
    this.#graph = graph
    this.#next = new Map(nodes.map((node) => [node, []]))
    this.#before = new Map(nodes.map((node) => [node, []]))
    const handled = nodes.flatMap((node) =>
      node.work.kind === 'failures' ? nodesBehind(node.work, nodes).map((from) => ({ from, to: node })) : [],
    )
    for (const { from, to } of [...edges, ...handled]) {
      this.#next.get(from)?.push(to)
      this.#before.get(to)?.push(from)
    }
    for (const node of nodes) {
      if (isEnd(node)) continue
      const group = new Set([node])
      this.#of.set(node, group)
      if (!PURE.has(node.work.kind)) this.#heavy.add(group)
    }
    const waiting = new Map(nodes.map((node) => [node, this.#before.get(node)?.length ?? 0]))
    const ready = nodes.filter((node) => waiting.get(node) === 0)
    for (let node = ready.pop(); node; node = ready.pop()) {
      this.#order.push(node)
      for (const to of this.#next.get(node) ?? []) {
        waiting.set(to, (waiting.get(to) ?? 0) - 1)
        if (waiting.get(to) === 0) ready.push(to)
      }
    }
    const isOrdered = new Set(this.#order)
    this.#cycles = cyclesOf(
      nodes.filter((node) => !isOrdered.has(node)),
      (node) => this.#next.get(node) ?? [],
    )
  }

  get cyclic(): ReadonlySet<GraphNode> {
    return new Set(this.#cycles.flat())
  }

  list(): GraphNode[][] {
    return [...new Set(this.#of.values())].map((group) => [...group].sort((a, b) => a.id - b.id))
  }

  joinWhole(): void {
    const { nodes, edges } = this.#graph
    for (const { work } of nodes)
      if (work.kind === 'each' || work.kind === 'choice') this.#join(nodes.filter((n) => isWithin(n, work.inside)))
    for (const node of nodes) {
      if (node.work.kind !== 'failures') continue
      // For an input of the whole graph: with its reader.
      this.#join([node, ...nodesBehind(node.work, nodes).flatMap((of) => (isEnd(of) ? (this.#next.get(of) ?? []) : [of]))])
    }
    for (const { from, output, to, input } of edges) {
      const isOwnWord = from.work.kind === 'agent' && from.outputs[output]?.name !== 'output'
      const isControl = to.work.kind === 'agent' && to.inputs[input]?.name !== 'input'
      if (isOwnWord || isControl) this.#join([from, to])
    }
    for (const { barrier, branches } of partingsOf(this.#graph)) this.#join([barrier, ...branches.flatMap((branch) => [...branch])])
    for (const cycle of this.#cycles) this.#join(cycle)
  }

  joinPure(): void {
    for (const node of this.#order) {
      const before = this.#before.get(node) ?? []
      if (this.#isLoose(node) && before.every((from) => !isEnd(from) && !this.#isLoose(from))) this.#joinOnly(node, before)
    }
    for (const node of [...this.#order].reverse()) {
      if (!this.#isLoose(node)) continue
      this.#joinOnly(
        node,
        (this.#next.get(node) ?? []).filter((to) => !isEnd(to)),
      )
    }
  }

  /** If a message could return to a part that it has left, all groups on its way are merged. */
  joinCircles(): void {
    for (;;) {
      const next = (group: Set<GraphNode>) =>
        [...group]
          .flatMap((node) => this.#next.get(node) ?? [])
          .flatMap((to) => (isEnd(to) || this.#groupOf(to) === group ? [] : [this.#groupOf(to)]))
      const [cycle] = cyclesOf([...new Set(this.#of.values())], next)
      if (!cycle) return
      this.#join(cycle.flatMap((group) => [...group]))
    }
  }

  #isLoose(node: GraphNode): boolean {
    return !isEnd(node) && !this.#heavy.has(this.#groupOf(node))
  }

  /** The common part of all others, if there is one. */
  #joinOnly(node: GraphNode, others: readonly GraphNode[]): void {
    const [only, ...more] = new Set(others.map((other) => this.#groupOf(other)))
    if (only && more.length === 0) this.#join([node, ...only])
  }

  #groupOf(node: GraphNode): Set<GraphNode> {
    return this.#of.get(node) as Set<GraphNode>
  }

  #join(nodes: readonly GraphNode[]): void {
    const groups = new Set(nodes.filter((node) => !isEnd(node)).map((node) => this.#groupOf(node)))
    if (groups.size < 2) return
    const whole = new Set([...groups].flatMap((group) => [...group]))
    if ([...groups].some((group) => this.#heavy.has(group))) this.#heavy.add(whole)
    for (const node of whole) this.#of.set(node, whole)
  }
}

const isWithin = ({ within, work }: GraphNode, inside: NonNullable<GraphNode['within']>): boolean => {
  if ('inside' in work && work.inside === inside) return true
  for (let at = within; at; at = at.within) if (at === inside) return true
  return false
}

/** The strongly connected components with an edge inside. */
const cyclesOf = <Node>(nodes: readonly Node[], next: (node: Node) => readonly Node[]): Node[][] => {
  const reached = new Map(nodes.map((node) => [node, reachedFrom(node, next)]))
  const seen = new Set<Node>()
  return nodes.flatMap((node) => {
    if (seen.has(node) || !reached.get(node)?.has(node)) return []
    const cycle = nodes.filter((other) => reached.get(node)?.has(other) && reached.get(other)?.has(node))
    for (const other of cycle) seen.add(other)
    return [cycle]
  })
}

const reachedFrom = <Node>(node: Node, next: (node: Node) => readonly Node[]): Set<Node> => {
  const found = new Set<Node>()
  const rest = [...next(node)]
  for (let at = rest.pop(); at !== undefined; at = rest.pop()) {
    if (found.has(at)) continue
    found.add(at)
    rest.push(...next(at))
  }
  return found
}

const describe = (nodes: readonly GraphNode[], id: number, graph: Graph, cyclic: ReadonlySet<GraphNode>): Part => {
  const within = new Set(nodes)
  const process = nodes.find(({ work }) => work.kind === 'agent' || work.kind === 'plumb' || work.kind === 'call')
  const isCycle = nodes.some((node) => cyclic.has(node))
  const isUnparted = partingsOf(graph).some(({ barrier, place }) => within.has(barrier) && place === undefined)
  const isOneByOne = isCycle || nodes.some(({ work }) => work.kind === 'plumb' && planOf(work.bound).nodes.some(remembers))
  return {
    id,
    name: (process ?? nodes.find(({ work }) => work.kind !== 'pass') ?? nodes[0])?.name ?? '',
    nodes,
    kind: isOneByOne || isUnparted || nodes.some(remembers) || nodes.some(holds) ? 'owned' : 'free',
    isOneByOne,
    holdsMessages: isUnparted || nodes.some(holds),
    inputs: sourcesOf(graph.edges.filter(({ from, to }) => within.has(to) && !within.has(from))),
    outputs: sourcesOf(graph.edges.filter(({ from, to }) => within.has(from) && !within.has(to))),
  }
}

/** Whether its result for a message may depend on earlier ones. */
const remembers = ({ work }: GraphNode): boolean => {
  if (work.kind === 'fold' || work.kind === 'batch' || work.kind === 'conversation') return true
  if (work.kind === 'plumb') return planOf(work.bound).nodes.some(remembers)
  if (work.kind !== 'agent') return false
  if (asksPerson(work.bound)) return false
  const { amnesiac, max_messages } = agentOf(work.bound).config
  return amnesiac !== true || max_messages !== undefined
}

/** Whether what comes to it may wait for later messages, and is finished with them. */
const holds = ({ work }: GraphNode): boolean =>
  work.kind === 'join' || (work.kind === 'fold' && work.atEnd) || (work.kind === 'plumb' && planOf(work.bound).nodes.some(holds))

const sourcesOf = (edges: readonly Edge[]): PartOutput[] => {
  const sources: PartOutput[] = []
  for (const { from: node, output } of edges)
    if (!sources.some((source) => source.node === node && source.output === output)) sources.push({ node, output })
  return sources
}
