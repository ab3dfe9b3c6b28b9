// From a graph to running processes: a receiver for each node, a channel for each edge, and what has to wait for what.

import { compileCheck, compileFilter, compileMap, type Edge, type Graph, type GraphNode, Sink, type Stage } from '@plumb/lang'
import type { Fault, LineReader, LineWriter, Reporter, Result } from '@plumb/wire'
import { type Channel, DirectChannel } from './channel.js'
import { CheckedChannel } from './checked-channel.js'
import { ChildProcess } from './child.js'
import { cyclesOf } from './cycles.js'
import { Gate } from './gate.js'
import { type Current, MainInput } from './main-input.js'
import { MainOutput } from './main-output.js'
import { Barrier } from './morphism/barrier.js'
import { Empty } from './morphism/empty.js'
import { ExpressionMorphism } from './morphism/expression.js'
import type { Morphism } from './morphism/morphism.js'
import { Pass } from './morphism/pass.js'
import { Cycle, QueuedChannel } from './quiescence.js'
import type { Schedule } from './schedule.js'
import { type Spawned, type SpawnSettings, spawnAgent, spawnPlumb } from './spawn.js'

export interface WiringOptions {
  readonly graph: Graph
  readonly reader: LineReader
  readonly writer: LineWriter
  readonly schedule: Schedule
  readonly reporter: Reporter
  readonly settings: SpawnSettings
  readonly envelopes: 'all' | 'some' | 'none'
  /** One of main's outputs has closed. */
  readonly outputClosed: () => void
  /** The run cannot go on. */
  readonly fail: (fault: Fault) => void
}

export interface Wired {
  readonly input: MainInput
  readonly outputs: readonly MainOutput[]
  readonly children: readonly ChildProcess[]
  readonly cycles: readonly Cycle[]
  /** Opens it: inputs that nothing feeds close, sources may run. */
  start(): void
}

/** Children are started here; when one cannot be, those that were are ended and nothing has run. */
export const wireUp = (options: WiringOptions): Result<Wired> => {
  const { graph, settings } = options
  const spawned = new Map<GraphNode, Spawned>()
  for (const node of graph.nodes) {
    if (node.work.kind !== 'agent' && node.work.kind !== 'plumb') continue
    const child = (node.work.kind === 'agent' ? spawnAgent : spawnPlumb)(node, node.work.bound, settings)
    if (!child.ok) {
      for (const { child: started } of spawned.values()) started.kill('SIGKILL')
      return { ok: false, error: { ...child.error, process: node.name } }
    }
    spawned.set(node, child.value)
  }
  return { ok: true, value: new Network(options, spawned).wired() }
}

class Network {
  readonly #o: WiringOptions
  readonly #sink = new Sink()
  readonly #current: Current = { port: '', line: 0, seq: 0 }
  readonly #cycleOf = new Map<GraphNode, Cycle>()
  readonly #receivers = new Map<GraphNode, Morphism>()
  readonly #entrances: GraphNode[]

  constructor(options: WiringOptions, spawned: ReadonlyMap<GraphNode, Spawned>) {
    this.#o = options
    const { graph, settings } = options
    this.#entrances = graph.nodes.filter((n) => n.work.kind === 'input')
    for (const nodes of cyclesOf(graph)) {
      const cycle = new Cycle(
        nodes.map((n) => n.name),
        settings.maxInFlight,
        options.fail,
      )
      for (const node of nodes) this.#cycleOf.set(node, cycle)
    }
    for (const node of graph.nodes) this.#receivers.set(node, this.#receiver(node, spawned.get(node)))
    for (const edge of graph.edges) this.#connect(edge)
  }

  wired(): Wired {
    const gate = this.#gateOf(this.#entrances)
    const { reader, envelopes, schedule } = this.#o
    const entrances = this.#entrances.map((node) => ({
      name: node.name,
      outlet: this.#of(node).outlets[0] as Morphism['outlets'][number],
      stage: this.#isCheckedBehind(node) ? undefined : stageOf(node),
    }))
    const input = new MainInput({ reader, entrances, sink: this.#sink, gate, current: this.#current, report: this.#report, envelopes })
    schedule.addSource(input)
    const children: ChildProcess[] = []
    for (const [node, receiver] of this.#receivers) {
      if (!(receiver instanceof ChildProcess)) continue
      children.push(receiver)
      this.#cycleOf.get(node)?.workers.push(receiver)
      for (const [i, childGate] of receiver.gates.entries()) this.#open(childGate, [{ node, output: i }], this.#cycleOf.get(node))
    }
    const outputs = [...this.#receivers.values()].filter((r) => r instanceof MainOutput)
    const start = () => {
      for (const [node, receiver] of this.#receivers) if (node.work.kind !== 'input') receiver.start()
    }
    return { input, outputs, children, cycles: [...new Set(this.#cycleOf.values())], start }
  }

  /** An error with the input that caused it, where that is known. */
  readonly #report = (fault: Fault): void => {
    const { port, line, seq } = this.#current
    this.#o.reporter.report(seq === 0 ? fault : { ...fault, port: fault.port ?? port, line, seq })
  }

  #of(node: GraphNode): Morphism {
    return this.#receivers.get(node) as Morphism
  }

  #receiver(node: GraphNode, spawned: Spawned | undefined): Morphism {
    const feeds = node.inputs.map((_, i) => this.#o.graph.edges.filter((e) => e.to === node && e.input === i).length)
    const { work } = node
    switch (work.kind) {
      case 'pass':
      case 'input':
        return new Pass(feeds, node.outputs.length)
      case 'empty':
        return new Empty(feeds, 1)
      case 'map':
      case 'filter':
      case 'discard':
        return new ExpressionMorphism(feeds, this.#expression(node))
      case 'barrier': {
        const branches = node.inputs.map((_, i) => this.#o.graph.edges.find((e) => e.to === node && e.input === i)?.from.name ?? '')
        const { settings, fail } = this.#o
        return new Barrier(feeds, { name: node.name, branches, maxWaiting: settings.maxInFlight, report: this.#report, fail })
      }
      case 'output':
        return this.#mainOutput(node, feeds)
      case 'agent':
      case 'plumb':
        return this.#child(node, feeds, spawned as Spawned)
    }
  }

  #expression(node: GraphNode) {
    const isAtBoundary = this.#o.graph.edges.some((e) => e.to === node && e.from.work.kind === 'input' && this.#isCheckedBehind(e.from))
    const extras = isAtBoundary ? {} : { process: node.name }
    return {
      stage: stageOf(node),
      sink: this.#sink,
      isSelector: node.work.kind === 'filter' && !isAtBoundary,
      report: (fault: Fault) => this.#report({ ...fault, ...extras }),
    }
  }

  #mainOutput(node: GraphNode, feeds: readonly number[]): MainOutput {
    const { graph, envelopes, writer, outputClosed } = this.#o
    const isOnly = graph.nodes.filter((n) => n.work.kind === 'output').length === 1
    const form = envelopes === 'all' || !isOnly ? 'always' : envelopes === 'some' ? 'odd' : 'never'
    return new MainOutput(feeds, { name: node.name, writer, envelopes: form, isPlain: !mayHoldPortKey(node), closed: outputClosed })
  }

  #child(node: GraphNode, feeds: readonly number[], { child, hasPortFds, isEnveloped }: Spawned): ChildProcess {
    const { schedule, reporter } = this.#o
    return new ChildProcess(feeds, {
      name: node.name,
      inputs: node.inputs,
      outputs: node.outputs.map(({ name, type }) => ({ name, stage: compileCheck(type ?? JSON_TYPE) })),
      isEnveloped,
      hasPortFds,
      child,
      schedule,
      sink: this.#sink,
      reporter,
      report: (fault) => this.#o.reporter.report(fault),
      cycle: this.#cycleOf.get(node),
    })
  }

  #connect(edge: Edge): void {
    const { from, output, to, input, isChecked } = edge
    const receiver = this.#of(to)
    const cycle = this.#cycleOf.get(to)
    const isInside = cycle !== undefined && cycle === this.#cycleOf.get(from)
    let channel: Channel
    if (isInside) {
      const isOwn = !(receiver instanceof ChildProcess)
      const wire = isOwn ? new QueuedChannel(receiver, input, cycle, this.#o.schedule) : new DirectChannel(receiver, input)
      channel = cycle.inside(wire, to.inputs[input]?.name === 'ctrl_in')
    } else {
      channel = new DirectChannel(receiver, input)
      if (cycle) channel = cycle.entrance(channel)
    }
    const type = to.inputs[input]?.type
    // An expression looks at its message anyway.
    const looks = to.work.kind === 'map' || to.work.kind === 'filter' || to.work.kind === 'discard'
    if (isChecked && !looks && type) {
      const misfit = to.work.kind === 'pass' && to.work.isSelector ? undefined : (fault: Fault) => this.#report({ ...fault, process: to.name })
      channel = new CheckedChannel(channel, { stage: compileCheck(type), sink: this.#sink, misfit })
    }
    this.#of(from).outlets[output]?.channels.push(channel)
  }

  /** The one process behind this port makes the same check, so that a message is read once. */
  #isCheckedBehind(node: GraphNode): boolean {
    const out = this.#o.graph.edges.filter((e) => e.from === node)
    const [edge] = out
    if (!edge || out.length !== 1) return false
    const { to, input } = edge
    const isExpression = to.work.kind === 'map' || to.work.kind === 'filter' || to.work.kind === 'discard'
    const feeds = this.#o.graph.edges.filter((e) => e.to === to && e.input === input)
    return isExpression && feeds.length === 1 && !this.#cycleOf.has(to) && to.inputs[input]?.type === node.outputs[0]?.type
  }

  #gateOf(nodes: readonly GraphNode[]): Gate {
    const gate = new Gate()
    const from = nodes.flatMap((node) => node.outputs.map((_, output) => ({ node, output })))
    this.#open(gate, from, undefined)
    return gate
  }

  // Everything that can be filled from here without passing through another process. Inside its own cycle nothing waits: that could be for ever.
  #open(gate: Gate, from: readonly { node: GraphNode; output: number }[], own: Cycle | undefined): void {
    const seen = new Set<GraphNode>()
    const follow = (edges: readonly Edge[]) => {
      for (const { to, input } of edges) {
        const cycle = this.#cycleOf.get(to)
        if (cycle && cycle !== own && !gate.cycles.includes(cycle)) gate.cycles.push(cycle)
        const receiver = this.#of(to)
        if (receiver instanceof ChildProcess) {
          const writer = receiver.writerFor(input)
          if (writer && (cycle === undefined || cycle !== own)) gate.writers.push(writer)
        } else if (!seen.has(to)) {
          seen.add(to)
          if (to.work.kind === 'output') gate.writers.push(this.#o.writer)
          follow(this.#o.graph.edges.filter((e) => e.from === to))
        }
      }
    }
    for (const { node, output } of from) follow(this.#o.graph.edges.filter((e) => e.from === node && e.output === output))
  }
}

const JSON_TYPE = { kind: 'json' } as const

const stageOf = (node: GraphNode): Stage => {
  const type = node.inputs[0]?.type ?? JSON_TYPE
  const { work } = node
  if (work.kind === 'map') return compileMap(work.expression, type)
  if (work.kind === 'filter') return compileFilter(work.expression, type)
  if (work.kind === 'discard') return compileMap({ kind: 'literal', value: null, text: 'null', span: node.span }, type)
  return compileCheck(type)
}

// Only a value with a key `__port` could be taken for an envelope.
const mayHoldPortKey = (node: GraphNode): boolean => {
  const type = node.inputs[0]?.type
  if (!type) return false
  const seen = new Set<unknown>()
  const holds = (t: NonNullable<typeof type>): boolean => {
    if (seen.has(t)) return false
    seen.add(t)
    if (t.kind === 'named') return holds(t.target)
    if (t.kind === 'sum') return t.variants.some(holds)
    if (t.kind === 'record') return t.fields.some((f) => f.name === '__port')
    return t.kind === 'json'
  }
  return holds(type)
}
