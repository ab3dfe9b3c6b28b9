// Builds running processes from a graph: a receiver for each node, a channel for each edge, and their back-pressure.

import {
  compileCheck,
  cyclesOf,
  type Edge,
  type Graph,
  type GraphNode,
  type GraphPosition,
  MessageScanners,
  originsOf,
  Sink,
  takesText,
} from '@plumb/lang'
import type { Fault, LineReader, LineWriter, Result, TelemetryLines } from '@plumb/wire'
import type { SpawnSettings } from '../child/agent-start.js'
import { ChildProcess } from '../child/child.js'
import { openChild } from '../child/open-child.js'
import { type SpawnAllOptions, type Spawned, spawnAll } from '../child/spawn.js'
import type { ToolService } from '../child/tool-service.js'
import { EmittingChannel, type RunEmitter } from '../event/emitter.js'
import type { WireInfo } from '../event/run-event.js'
import { placesOf, wiresOf } from '../event/wires.js'
import { Backpressure } from '../graph/backpressure.js'
import { type Channel, CheckedChannel, DirectChannel, Outlet, PartingChannel } from '../graph/channel.js'
import { Cycle, QueuedChannel } from '../graph/cycle.js'
import { Edges } from '../graph/edges.js'
import { openLineBatcher } from '../graph/line-batcher.js'
import { MainInput } from '../graph/main-input.js'
import { mayHoldPortKey, openMainOutput } from '../graph/main-output.js'
import { Barrier } from '../graph/morphism/barrier.js'
import { Batch } from '../graph/morphism/batch.js'
import { Calls, type MappedTool, openCalls } from '../graph/morphism/calls.js'
import { ChoiceMorphism } from '../graph/morphism/choice.js'
import { Conversation } from '../graph/morphism/conversation.js'
import { Each } from '../graph/morphism/each.js'
import { ExpressionMorphism, isExpression, typeAt } from '../graph/morphism/expression.js'
import { Flatten } from '../graph/morphism/flatten.js'
import { type Keeping, keepingAt } from '../graph/morphism/keeping.js'
import { keptStage } from '../graph/morphism/kept-fold.js'
import { KeyedBarrier } from '../graph/morphism/keyed-barrier.js'
import { Empty, type Morphism, Pass } from '../graph/morphism/morphism.js'
import { stageAt } from '../graph/morphism/shared-states.js'
import type { NumberedLines } from '../graph/numbered-lines.js'
import type { RunContext } from '../graph/run-context.js'
import { openTrampoline, type Trampoline } from '../graph/trampoline.js'
import type { Rejects } from '../record/rejects.js'
import { keptCalls } from '../record/resume/kept-calls.js'
import { Batches, openBatch } from './batches.js'
import { Forms } from './forms.js'
import { Joins } from './joins.js'
import { type KeyedContext, openFoldAtEnd, openKeyedBarrier } from './keyed.js'
import { Losses } from './losses.js'
import type { Wired } from './wired.js'

export interface WiringOptions extends Omit<RunContext, 'sink' | 'maxLine'> {
  readonly graph: Graph
  readonly reader: LineReader
  readonly writer: LineWriter
  readonly settings: SpawnSettings
  readonly startHere?: SpawnAllOptions['startHere']
  /** For agents that have tools. */
  readonly tools: ReadonlyMap<GraphNode, ToolService>
  /** For maps of tools. */
  readonly mapped: ReadonlyMap<GraphNode, MappedTool>
  readonly envelopes: 'all' | 'some' | 'none'
  /** What it reads is given to a command, of whose options an error may speak. */
  readonly isOfCommand?: boolean
  /** Each output is written with the number of its input. */
  readonly hasSeq: boolean
  /** A parent reads numbered lines: it is told of each input that failed, and that something of it was lost. */
  readonly lines: NumberedLines | undefined
  readonly emitter: RunEmitter | undefined
  readonly rejects: Rejects | undefined
  /** Receives telemetry of our children, for a parent. */
  readonly parent: TelemetryLines | undefined
  /** An error was handled by an `error` port, or by another part of `p + q`. */
  readonly handled: (fault: Fault) => void
  /** One of main's outputs has closed. */
  readonly outputClosed: () => void
  /** Replaces the start of its children, if they are not processes of the system. */
  readonly spawn?: typeof spawnAll
}

/** If a child cannot be started, nothing has run. */
export const wireUp = (options: WiringOptions): Result<Wired> => {
  const { graph, spawn = spawnAll } = options
  const spawned = spawn(graph, { ...options, isNested: options.lines !== undefined })
  return spawned.ok ? { ok: true, value: new Network(options, spawned.value).wired() } : spawned
}

class Network {
  readonly #o: WiringOptions
  readonly #edges: Edges
  readonly #context: RunContext
  readonly #scanners: MessageScanners
  readonly #trampoline: Trampoline | undefined
  readonly #cycleOf = new Map<GraphNode, Cycle>()
  readonly #receivers = new Map<GraphNode, Morphism>()
  readonly #entrances: GraphNode[]
  readonly #places: ReadonlyMap<GraphNode, string>
  readonly #wires: ReadonlyMap<Edge, WireInfo>
  readonly #joins: Joins
  readonly #forms: Forms
  readonly #losses: Losses
  /** After an output at which branches split. */
  readonly #parted = new Map<Outlet, Outlet>()

  constructor(options: WiringOptions, spawned: ReadonlyMap<GraphNode, Spawned>) {
    this.#o = options
    const { graph, settings, schedule, reporter, emitter, current, fail } = options
    const report = (fault: Fault) => options.report(current.withCause(fault))
    this.#scanners = settings.sharedStates?.scanners ?? new MessageScanners()
    this.#context = { schedule, sink: new Sink(), maxLine: settings.options.lines.maxLine, current, reporter, report, fail }
    const origins = originsOf(graph)
    this.#joins = new Joins(origins.partings)
    this.#edges = new Edges(graph)
    this.#losses = new Losses(this.#joins, () => this.#forms, options.lines !== undefined)
    const own = {
      context: this.#context,
      edges: this.#edges,
      maxInFlight: settings.options.run.maxInFlight,
      lost: (node: GraphNode) => this.#losses.at(node),
    }
    this.#forms = new Forms(graph, origins, { ...own, handled: options.handled })
    this.#places = placesOf(graph)
    this.#wires = emitter && emitter.hasWires !== false ? wiresOf(graph) : new Map()
    this.#entrances = graph.nodes.filter((n) => n.work.kind === 'input')
    for (const nodes of cyclesOf(graph)) {
      const cycle = new Cycle(this.#context, { names: nodes.map((n) => n.name), maxInFlight: settings.options.run.maxInFlight })
      for (const node of nodes) this.#cycleOf.set(node, cycle)
    }
    this.#trampoline = openTrampoline(graph.nodes.length, this.#cycleOf.size > 0, current)
    for (const node of graph.nodes) this.#receivers.set(node, this.#receiver(node, spawned.get(node)))
    for (const place of this.#joins.places) this.#partAt(place)
    for (const edge of graph.edges) this.#connect(edge)
    this.#forms.closePorts((node) => this.#of(node))
  }

  wired(): Wired {
    const { schedule } = this.#o
    const cycles = [...new Set(this.#cycleOf.values())]
    for (const cycle of cycles) {
      schedule.addCycle(cycle)
      const nodes = [...this.#cycleOf].filter(([, its]) => its === cycle).map(([node]) => node)
      this.#holdBack(
        cycle.backpressure,
        nodes.flatMap((node) => this.#edges.outOf(node)),
        cycle,
      )
    }
    const input = this.#mainInput()
    schedule.addSource(input)
    const children = new Map<ChildProcess, ReadonlySet<ChildProcess>>()
    for (const [node, receiver] of this.#receivers) {
      if (receiver instanceof Batch || receiver instanceof Each || receiver instanceof ChoiceMorphism || receiver instanceof Calls) {
        this.#addWaiting(node, receiver)
      }
      if (receiver instanceof KeyedBarrier && receiver.hasTimer) {
        schedule.addSource(receiver)
        this.#holdBack(receiver.backpressure, this.#edges.outOf(node), this.#cycleOf.get(node))
      }
      if (receiver instanceof Conversation) this.#cycleOf.get(node)?.add(receiver)
      if (!(receiver instanceof ChildProcess)) continue
      const cycle = this.#cycleOf.get(node)
      cycle?.add(receiver, receiver.batches)
      const behind = receiver.backpressures.map((backpressure, output) => this.#holdBack(backpressure, this.#from(node, output), cycle))
      if (this.#edges.outOf(node).length > 0) children.set(receiver, new Set(behind.flatMap((set) => [...set])))
    }
    return {
      input,
      children: [...this.#receivers.values()].filter((r) => r instanceof ChildProcess),
      calls: [...this.#receivers.values()].filter((r) => r instanceof Calls),
      cycles,
      batches: new Batches(this.#receivers.values(), cycles),
      start: () => {
        if (this.#entrances.length === 0) input.end()
        for (const [node, receiver] of this.#receivers) if (node.work.kind !== 'input') receiver.start()
      },
      holdings: () => [
        { of: 'input', name: '', taken: input.taken, is_waiting: !input.canRun(), has_ended: input.hasEnded },
        ...[...this.#receivers].flatMap(([node, receiver]) => receiver.holding?.(node.name) ?? []),
        ...cycles.map((cycle) => cycle.holding()),
        { of: 'output', name: '', written: this.#o.writer.lines, is_full: this.#o.writer.isFull },
      ],
      hangUp: () => {
        for (const [child, behind] of children) {
          if (!child.hasEnded && [...behind].every((other) => other.hasEnded)) child.hangUp()
        }
      },
    }
  }

  /** The first input that may still fail. */
  get #oldest(): number {
    const dropped = [...this.#receivers.values()].map((r) => (r instanceof ChildProcess ? r.oldestDropped : Number.POSITIVE_INFINITY))
    return Math.min(this.#context.current.oldest, ...dropped)
  }

  #of(node: GraphNode): Morphism {
    return this.#receivers.get(node) as Morphism
  }

  #from(node: GraphNode, output: number): Edge[] {
    return this.#edges.outOf(node).filter((edge) => edge.output === output)
  }

  #addWaiting(node: GraphNode, part: Batch | Each | ChoiceMorphism | Calls): void {
    const cycle = this.#cycleOf.get(node)
    if (part instanceof Batch) cycle?.addBatch(part)
    else cycle?.add(part)
    if (part instanceof Batch ? !part.hasTimer : !(part instanceof Calls) && !part.waits) return
    this.#o.schedule.addSource(part)
    this.#holdBack(part.backpressure, this.#edges.outOf(node), cycle)
  }

  #mainInput(): MainInput {
    const { reader, envelopes, emitter, rejects, lines, isOfCommand = false } = this.#o
    const way = { edges: this.#edges, scanners: this.#scanners, sink: this.#context.sink, maxLine: reader.maxLine }
    const entrances = this.#entrances.map((node) => ({
      name: node.name,
      outlet: this.#of(node).outlets[0] as Morphism['outlets'][number],
      stage: stageAt(node, this.#scanners, this.#context.report, this.#o.settings.sharedStates),
      mayBeText: isOfCommand && lines === undefined && takesText(typeAt(node)),
      report: this.#forms.errorHandlers.contextAt(node).report,
      keeps: this.#forms.errorHandlers.at(node).length > 0,
      scanner: envelopes === 'none' || !mayHoldPortKey(node) ? this.#scanners.of(typeAt(node)) : undefined,
      openBatcher: () => openLineBatcher(node, { ...way, receiverOf: (behind) => this.#of(behind) }),
    }))
    const backpressure = new Backpressure()
    const behind = this.#entrances.flatMap((node) => this.#edges.outOf(node))
    this.#holdBack(backpressure, behind, undefined)
    const taken = rejects && ((seq: number) => rejects.hold(seq, reader, () => this.#oldest))
    return new MainInput(this.#context, { reader, entrances, backpressure, envelopes, emitter, taken })
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
      case 'fold':
        return work.atEnd ? openFoldAtEnd(node, feeds, this.#keyed(node)) : this.#stage(node, feeds)
      case 'map':
      case 'filter':
      case 'discard':
      case 'flatten':
        return this.#stage(node, feeds)
      case 'batch':
        return openBatch(node, work, feeds, this.#context, { ...this.#keyed(node), shared: this.#o.settings.sharedStates })
      case 'call':
        return openCalls(node, feeds, this.#forms.errorHandlers.contextAt(node), {
          tool: this.#o.mapped.get(node) as MappedTool,
          skipped: this.#context.report,
          scanners: this.#scanners,
          lost: this.#losses.at(node),
          ...keptCalls(this.#places.get(node) ?? node.name, this.#o.settings.resumed, this.#o.emitter),
        })
      case 'barrier': {
        const own = this.#joins.optionsOf(node, this.#edges, this.#o.settings)
        return new Barrier(feeds, this.#forms.errorHandlers.contextAt(node), { ...own, lost: this.#losses.at(node) })
      }
      case 'join':
        return openKeyedBarrier(node, work, feeds, { ...this.#keyed(node), edges: this.#edges, settings: this.#o.settings })
      case 'each':
      case 'gather':
      case 'choice':
      case 'select':
      case 'failures':
        return this.#forms.receiver(node, feeds)
      case 'conversation': {
        const lost = this.#losses.ofCurrent(node, this.#context.current)
        return new Conversation(feeds, this.#forms.errorHandlers.contextAt(node), { ...work, name: node.name, lost })
      }
      case 'output':
        return openMainOutput(node, feeds, this.#context, this.#o)
      case 'agent':
      case 'plumb':
        return this.#child(node, feeds, spawned as Spawned)
    }
  }

  #stage(node: GraphNode, feeds: readonly number[]): ExpressionMorphism | Flatten {
    const report = (fault: Fault) => this.#forms.errorHandlers.contextAt(node).report({ ...fault, process: node.name })
    const stage = keptStage(stageAt(node, this.#scanners, report, this.#o.settings.sharedStates), node, this.#keeping(node))
    const lost = this.#losses.ofCurrent(node, this.#context.current)
    if (node.work.kind === 'flatten') return new Flatten(feeds, { stage, report, lost })
    return new ExpressionMorphism(feeds, { stage, sink: this.#context.sink, isSelector: node.work.kind === 'filter', report, lost })
  }

  /** Where its state outlives this process. */
  #keeping(node: GraphNode): Keeping | undefined {
    return keepingAt(this.#places.get(node) ?? node.name, this.#o.settings.state, this.#context.current)
  }

  #keyed(node: GraphNode): KeyedContext {
    const own = { scanners: this.#scanners, lost: this.#losses.at(node), keeping: this.#keeping(node) }
    return { context: this.#forms.errorHandlers.contextAt(node), ...own }
  }

  #child(node: GraphNode, feeds: readonly number[], spawned: Spawned): ChildProcess {
    const place = this.#places.get(node) ?? node.name
    const isHandled = this.#forms.errorHandlers.at(node).length > 0
    const isOnBranch = this.#joins.isOnBranch(node)
    const needsOrigins = isHandled || isOnBranch
    const { settings, tools, emitter, parent, lines } = this.#o
    const known = { node, feeds, place, spawned, cycle: this.#cycleOf.get(node), lost: this.#losses.at(node) }
    const own = { ...known, needsOrigins, isOnBranch, isHandled, isNested: lines !== undefined }
    return openChild(this.#forms.errorHandlers.contextAt(node), { ...own, settings, tools: tools.get(node), emitter, parent })
  }

  // Once for each place, however many barriers have it. Elements of an each, and messages in a choice, get theirs elsewhere.
  #partAt(place: GraphPosition): void {
    const { node, output } = place
    // Each input of main is an origin of its own.
    if (output === undefined || node.work.kind === 'input' || node.work.kind === 'each' || node.work.kind === 'choice') return
    const outlet = this.#of(node).outlets[output] as Outlet
    if (this.#parted.has(outlet)) return
    const behind = new Outlet()
    outlet.channels.push(new PartingChannel(behind, place, this.#context.current))
    this.#parted.set(outlet, behind)
  }

  #connect(edge: Edge): void {
    const { from, output, to, input } = edge
    const receiver = this.#of(to)
    const cycle = this.#cycleOf.get(to)
    let channel: Channel
    if (this.#forms.isInPlace(edge)) channel = new DirectChannel(receiver, input, undefined)
    else if (cycle && cycle === this.#cycleOf.get(from)) {
      const isOwn = !(receiver instanceof ChildProcess)
      const wire = isOwn
        ? new QueuedChannel(receiver, input, this.#trampoline, cycle)
        : new DirectChannel(receiver, input, this.#trampoline)
      const isControl = to.inputs[input]?.name === 'ctrl_in'
      channel = cycle.inside(wire, isControl && receiver instanceof ChildProcess ? receiver : undefined)
    } else {
      channel = new DirectChannel(receiver, input, this.#trampoline)
      if (cycle) channel = cycle.entrance(channel)
    }
    const place = this.#joins.partingAt(to)
    if (place && !this.#forms.kept.has(to)) channel = new PartingChannel(channel, place, this.#context.current)
    const wire = this.#wires.get(edge)
    if (wire && this.#o.emitter) channel = new EmittingChannel(channel, wire, this.#context.current, this.#o.emitter)
    const sender = this.#of(from)
    const outlet = sender.outlets[output] as Outlet
    if (receiver instanceof Conversation && sender instanceof ChildProcess)
      sender.onWrongLine(output, (line) => receiver.receiveWrong(input, line))
    const leading = this.#parted.get(outlet) ?? outlet
    const checked = this.#checked(edge, channel)
    const entered = this.#forms.kept.get(to)
    // A mismatch is a failure of the receiver.
    leading.channels.push(entered ? new PartingChannel(checked, entered, this.#context.current, true) : checked)
  }

  #checked({ from, to, input, isChecked }: Edge, channel: Channel): Channel {
    const type = to.inputs[input]?.type
    // An expression checks its message anyway.
    if (!isChecked || !type || isExpression(to)) return channel
    const isSelector = to.work.kind === 'pass' && to.work.isSelector
    // At an end of an each, the type of the neighbouring part.
    const context = this.#forms.errorHandlers.contextAt(to.work.kind === 'gather' || to.work.kind === 'select' ? from : to)
    const onMismatch = isSelector ? undefined : (fault: Fault) => context.report({ ...fault, process: to.name })
    const lost = this.#losses.ofCurrent(from, this.#context.current)
    return new CheckedChannel(channel, { stage: compileCheck(type, this.#scanners.of(type)), sink: this.#context.sink, onMismatch, lost })
  }

  /**
   * Makes it wait for everything that can be filled along these edges without passing through another process; returns the children among
   * it. Inside its own cycle nothing waits: that could deadlock.
   */
  #holdBack(backpressure: Backpressure, edges: readonly Edge[], own: Cycle | undefined): ReadonlySet<ChildProcess> {
    const seen = new Set<GraphNode>()
    const children = new Set<ChildProcess>()
    const rest = [...edges]
    for (let edge = rest.pop(); edge; edge = rest.pop()) {
      const { to, input } = edge
      const cycle = this.#cycleOf.get(to)
      const isOwn = cycle !== undefined && cycle === own
      if (cycle && !isOwn) backpressure.waitFor(cycle)
      const receiver = this.#of(to)
      const waits = receiver instanceof Each || receiver instanceof ChoiceMorphism || receiver instanceof Calls
      if (waits && !isOwn) backpressure.waitFor(receiver)
      if (receiver instanceof ChildProcess) {
        children.add(receiver)
        const buffer = receiver.bufferOf(input)
        if (buffer && !isOwn) backpressure.waitFor(buffer)
      } else if (!seen.has(to)) {
        seen.add(to)
        if (to.work.kind === 'output') backpressure.waitFor(this.#o.writer)
        rest.push(...this.#edges.outOf(to))
      }
    }
    return children
  }
}
