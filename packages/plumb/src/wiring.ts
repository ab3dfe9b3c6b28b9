// From a graph to running processes: a receiver for each node, a channel for each edge, and what has to wait for what.

import { compileCheck, type Edge, type Graph, type GraphNode, Sink } from '@plumb/lang'
import type { Fault, LineReader, LineWriter, Reporter, Result } from '@plumb/wire'
import type { SpawnSettings } from './agent-start.js'
import { type Channel, DirectChannel } from './channel.js'
import { CheckedChannel } from './checked-channel.js'
import { ChildProcess } from './child.js'
import { Current } from './current.js'
import { Cycle, QueuedChannel } from './cycle.js'
import { cyclesOf } from './cycles.js'
import { Edges } from './edges.js'
import { Gate } from './gate.js'
import { MainInput } from './main-input.js'
import { MainOutput, mayHoldPortKey } from './main-output.js'
import { Barrier } from './morphism/barrier.js'
import { Empty } from './morphism/empty.js'
import { ExpressionMorphism, stageOf } from './morphism/expression.js'
import type { Morphism } from './morphism/morphism.js'
import { Pass } from './morphism/pass.js'
import { Relay } from './relay.js'
import type { Schedule } from './schedule.js'
import { type Spawned, spawnAgent, spawnPlumb } from './spawn.js'
import type { ToolService } from './tool-service.js'

export interface WiringOptions {
  readonly graph: Graph
  readonly reader: LineReader
  readonly writer: LineWriter
  readonly schedule: Schedule
  readonly reporter: Reporter
  readonly report: (fault: Fault) => void
  readonly settings: SpawnSettings
  /** Of the agents that have tools. */
  readonly tools: ReadonlyMap<GraphNode, ToolService>
  readonly envelopes: 'all' | 'some' | 'none'
  readonly isNumbered: boolean
  /** One of main's outputs has closed. */
  readonly outputClosed: () => void
  /** The run cannot go on. */
  readonly fail: (fault: Fault) => void
}

export interface Wired {
  readonly input: MainInput
  readonly children: readonly ChildProcess[]
  readonly cycles: readonly Cycle[]
  /** Opens it: inputs that nothing feeds close, sources may run. */
  start(): void
  /** Children that have nobody to write to any more are not listened to, as in a shell's pipe. */
  hangUp(): void
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
  readonly #edges: Edges
  readonly #sink = new Sink()
  readonly #current = new Current()
  readonly #relay = new Relay()
  readonly #cycleOf = new Map<GraphNode, Cycle>()
  readonly #receivers = new Map<GraphNode, Morphism>()
  readonly #entrances: GraphNode[]

  constructor(options: WiringOptions, spawned: ReadonlyMap<GraphNode, Spawned>) {
    this.#o = options
    const { graph, settings, fail } = options
    this.#edges = new Edges(graph)
    this.#entrances = graph.nodes.filter((n) => n.work.kind === 'input')
    for (const nodes of cyclesOf(graph)) {
      const cycle = new Cycle({ names: nodes.map((n) => n.name), maxInFlight: settings.maxInFlight, current: this.#current, fail })
      for (const node of nodes) this.#cycleOf.set(node, cycle)
    }
    for (const node of graph.nodes) this.#receivers.set(node, this.#receiver(node, spawned.get(node)))
    for (const edge of graph.edges) this.#connect(edge)
  }

  wired(): Wired {
    const { schedule } = this.#o
    const cycles = [...new Set(this.#cycleOf.values())]
    for (const cycle of cycles) {
      schedule.addCycle(cycle)
      const nodes = [...this.#cycleOf].filter(([, its]) => its === cycle).map(([node]) => node)
      this.#holdBack(
        cycle.gate,
        nodes.flatMap((node) => this.#edges.outOf(node)),
        cycle,
      )
    }
    const input = this.#mainInput()
    schedule.addSource(input)
    const children = new Map<ChildProcess, ReadonlySet<ChildProcess>>()
    for (const [node, receiver] of this.#receivers) {
      if (!(receiver instanceof ChildProcess)) continue
      const cycle = this.#cycleOf.get(node)
      cycle?.workers.push(receiver)
      const behind = receiver.gates.map((gate, output) => this.#holdBack(gate, this.#from(node, output), cycle))
      if (this.#edges.outOf(node).length > 0) children.set(receiver, new Set(behind.flatMap((set) => [...set])))
    }
    return {
      input,
      children: [...this.#receivers.values()].filter((r) => r instanceof ChildProcess),
      cycles,
      start: () => {
        if (this.#entrances.length === 0) input.end()
        for (const [node, receiver] of this.#receivers) if (node.work.kind !== 'input') receiver.start()
      },
      hangUp: () => {
        for (const [child, behind] of children) {
          if (!child.hasEnded && [...behind].every((other) => other.hasEnded)) child.hangUp()
        }
      },
    }
  }

  readonly #report = (fault: Fault): void => this.#o.report(this.#current.causing(fault))

  #of(node: GraphNode): Morphism {
    return this.#receivers.get(node) as Morphism
  }

  #from(node: GraphNode, output: number): Edge[] {
    return this.#edges.outOf(node).filter((edge) => edge.output === output)
  }

  #mainInput(): MainInput {
    const { reader, envelopes } = this.#o
    const entrances = this.#entrances.map((node) => ({
      name: node.name,
      outlet: this.#of(node).outlets[0] as Morphism['outlets'][number],
      stage: this.#isCheckedBehind(node) ? undefined : stageOf(node),
    }))
    const gate = new Gate()
    this.#holdBack(
      gate,
      this.#entrances.flatMap((node) => this.#edges.outOf(node)),
      undefined,
    )
    return new MainInput({ reader, entrances, sink: this.#sink, gate, current: this.#current, report: this.#report, envelopes })
  }

  #receiver(node: GraphNode, spawned: Spawned | undefined): Morphism {
    const feeds = node.inputs.map((_, i) => this.#edges.into(node, i).length)
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
        return this.#expression(node, feeds)
      case 'barrier': {
        const branches = node.inputs.map((_, i) => this.#edges.into(node, i)[0]?.from.name ?? '')
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

  #expression(node: GraphNode, feeds: readonly number[]): ExpressionMorphism {
    const isAtBoundary = node.inputs.some((_, i) =>
      this.#edges.into(node, i).some(({ from }) => from.work.kind === 'input' && this.#isCheckedBehind(from)),
    )
    const extras = isAtBoundary ? {} : { process: node.name }
    return new ExpressionMorphism(feeds, {
      stage: stageOf(node),
      sink: this.#sink,
      isSelector: node.work.kind === 'filter' && !isAtBoundary,
      report: (fault) => this.#report({ ...fault, ...extras }),
    })
  }

  #mainOutput(node: GraphNode, feeds: readonly number[]): MainOutput {
    const { graph, envelopes, isNumbered, writer, outputClosed } = this.#o
    const isOnly = graph.nodes.filter((n) => n.work.kind === 'output').length === 1
    const form = envelopes === 'all' || !isOnly ? 'always' : envelopes === 'some' ? 'odd' : 'never'
    return new MainOutput(feeds, {
      name: node.name,
      writer,
      envelopes: form,
      isPlain: !mayHoldPortKey(node),
      sink: this.#sink,
      isNumbered,
      current: this.#current,
      closed: outputClosed,
    })
  }

  #child(node: GraphNode, feeds: readonly number[], { child, kind, isEnveloped }: Spawned): ChildProcess {
    const { schedule, reporter, settings, fail } = this.#o
    return new ChildProcess(feeds, {
      name: node.name,
      inputs: node.inputs,
      outputs: node.outputs.map(({ name, type }) => ({ name, stage: compileCheck(type ?? { kind: 'json' }) })),
      isEnveloped,
      kind,
      child,
      maxLine: settings.maxLine,
      schedule,
      sink: this.#sink,
      current: this.#current,
      reporter,
      report: this.#report,
      fail,
      cycle: this.#cycleOf.get(node),
      tools: this.#o.tools.get(node),
    })
  }

  #connect(edge: Edge): void {
    const { from, output, to, input } = edge
    const receiver = this.#of(to)
    const cycle = this.#cycleOf.get(to)
    let channel: Channel
    if (cycle && cycle === this.#cycleOf.get(from)) {
      const isOwn = !(receiver instanceof ChildProcess)
      const wire = isOwn ? new QueuedChannel(receiver, input, this.#relay, cycle) : new DirectChannel(receiver, input, this.#relay)
      const isControl = to.inputs[input]?.name === 'ctrl_in'
      channel = cycle.inside(wire, isControl && receiver instanceof ChildProcess ? receiver : undefined)
    } else {
      channel = new DirectChannel(receiver, input, this.#relay)
      if (cycle) channel = cycle.entrance(channel)
    }
    this.#of(from).outlets[output]?.channels.push(this.#checked(edge, channel))
  }

  #checked({ to, input, isChecked }: Edge, channel: Channel): Channel {
    const type = to.inputs[input]?.type
    // An expression looks at its message anyway.
    if (!isChecked || !type || isExpression(to)) return channel
    const isSelector = to.work.kind === 'pass' && to.work.isSelector
    const misfit = isSelector ? undefined : (fault: Fault) => this.#report({ ...fault, process: to.name })
    return new CheckedChannel(channel, { stage: compileCheck(type), sink: this.#sink, misfit })
  }

  /** The one process behind this port makes the same check, so that a message is read once. */
  #isCheckedBehind(node: GraphNode): boolean {
    const [edge, another] = this.#edges.outOf(node)
    if (!edge || another) return false
    const { to, input } = edge
    const isFedByOthers = this.#edges.into(to, input).length > 1 || this.#cycleOf.has(to)
    return isExpression(to) && !isFedByOthers && to.inputs[input]?.type === node.outputs[0]?.type
  }

  /**
   * The gate waits for everything that can be filled along these edges without passing through another process; gives the children among it.
   * Inside its own cycle nothing waits: that could be for ever.
   */
  #holdBack(gate: Gate, edges: readonly Edge[], own: Cycle | undefined): ReadonlySet<ChildProcess> {
    const seen = new Set<GraphNode>()
    const children = new Set<ChildProcess>()
    const rest = [...edges]
    for (let edge = rest.pop(); edge; edge = rest.pop()) {
      const { to, input } = edge
      const cycle = this.#cycleOf.get(to)
      const isOwn = cycle !== undefined && cycle === own
      if (cycle && !isOwn) gate.waitFor(cycle)
      const receiver = this.#of(to)
      if (receiver instanceof ChildProcess) {
        children.add(receiver)
        const basin = receiver.basinOf(input)
        if (basin && !isOwn) gate.waitFor(basin)
      } else if (!seen.has(to)) {
        seen.add(to)
        if (to.work.kind === 'output') gate.waitFor(this.#o.writer)
        rest.push(...this.#edges.outOf(to))
      }
    }
    return children
  }
}

const isExpression = ({ work: { kind } }: GraphNode): boolean => kind === 'map' || kind === 'filter' || kind === 'discard'
