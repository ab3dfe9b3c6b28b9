// A graph that answers requests: each has the graph for itself, made again in this process, and has its agents as long as it runs. A nested plumb
// is a graph in this process too, so that what it remembers ends with the request.

import { asksPerson, type Bound, type Graph, type GraphNode, isRemote, isSharedNode, planOf } from '@plumb/lang'
import type { Consent } from '@plumb/ledger'
import { type Fault, type LineSink, type LineSource, Reporter, type Result, succeed } from '@plumb/wire'
import { ENVELOPE_BYTES, LET_GO_FD, type SpawnSettings } from '../child/agent-start.js'
import { openInProcessChild } from '../child/in-process-child.js'
import { type Spawned, type StartHere, spawnAll } from '../child/spawn.js'
import type { ToolService } from '../child/tool-service.js'
import type { RunEmitter } from '../event/emitter.js'
import type { TracedGraph } from '../event/trace.js'
import { placesOf } from '../event/wires.js'
import type { MappedTool } from '../graph/morphism/calls.js'
import { SharedStates } from '../graph/morphism/shared-states.js'
import { type AskPerson, startPerson } from '../person/person-agent.js'
import { startA2a } from '../remote/a2a-agent.js'
import { GraphRun, type GraphRunOptions } from '../run/graph-run.js'
import { openToolServices } from '../tools/dispatch.js'
import { openMappedTools } from '../tools/mapped-tools.js'
import type { PooledLease, ProcessPool } from './process-pool.js'
import { RequestEvents, type TelemetryListener } from './request-events.js'
import { openPool } from './start-warm.js'
import type { AskedApproval } from './warm-process.js'

/** What all requests share. */
export interface ServedBase {
  readonly settings: Omit<SpawnSettings, 'report' | 'emitter'>
  readonly reporter: Reporter
}

/** Memories of agents by their places: what a request begins with, and what is to be kept of it. */
export interface Memories {
  readonly of: (place: string) => readonly unknown[] | undefined
  /** Undefined: nothing is kept. */
  readonly keep: ((place: string, messages: readonly unknown[]) => Fault | undefined) | undefined
}

export interface GraphRequest {
  readonly stdin: LineSource
  readonly stdout: LineSink
  readonly numbered: GraphRunOptions['numbered']
  readonly envelopes: GraphRunOptions['envelopes']
  /** Errors that belong to no input. */
  readonly report: (fault: Fault) => void
  readonly telemetry: TelemetryListener | undefined
  /** Of a request that is traced. */
  readonly trace?: TracedGraph | undefined
  readonly memories: Memories | undefined
  readonly approve: (asked: AskedApproval & { readonly agent: string }, signal?: AbortSignal) => Promise<Consent>
  /** Asks a person: an answer of the agent's output type, as JSON text. */
  readonly ask: AskPerson
  readonly signal: AbortSignal
}

export class ServedGraph {
  readonly #base: ServedBase
  readonly #name: string
  readonly #graph: Graph
  /** Of agents that live between requests; the others are started for each. */
  readonly #pools = new Map<GraphNode, ProcessPool>()
  readonly #plumbs = new Map<GraphNode, ServedGraph>()
  readonly #places: ReadonlyMap<GraphNode, string>
  readonly #states: SharedStates
  /** Agents that are started for each request, and those whose model is a person. */
  readonly #others: Graph

  /** `around`: the place of the plumb that it is, if it is nested. */
  constructor(bound: Bound, graph: Graph, base: ServedBase, around?: string) {
    this.#name = bound.name
    this.#states = new SharedStates((node) => isSharedNode(node, bound))
    this.#graph = graph
    this.#base = base
    const places = placesOf(graph)
    const placed = (node: GraphNode) => [around, places.get(node) ?? node.name].filter((part) => part !== undefined).join('~')
    this.#places = new Map(graph.nodes.map((node) => [node, placed(node)]))
    const { provider } = base.settings.options.agents
    for (const node of graph.nodes) {
      const { work } = node
      if (work.kind === 'plumb') this.#plumbs.set(node, new ServedGraph(work.bound, planOf(work.bound), base, placed(node)))
      const pool = work.kind === 'agent' && !asksPerson(work.bound, provider) ? openPool(node, work.bound, base) : undefined
      if (pool) this.#pools.set(node, pool)
    }
    const isOther = (node: GraphNode): boolean => node.work.kind === 'agent' && !this.#pools.has(node)
    this.#others = { nodes: graph.nodes.filter(isOther), edges: [] }
  }

  get graph(): Graph {
    return this.#graph
  }

  /** Starts a process of each agent. */
  async warm(): Promise<Result<void>> {
    const parts = [...this.#pools.values(), ...this.#plumbs.values()]
    const warmed = await Promise.all(parts.map((part) => part.warm()))
    return warmed.find(({ ok }) => !ok) ?? succeed(undefined)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values(), ...this.#plumbs.values()].map((part) => part.close()))
  }

  /** Resolves when all of its output is with its reader, and its memories are kept. */
  async run(request: GraphRequest): Promise<void> {
    const { telemetry, trace, signal, memories } = request
    let hasFailed = false
    const report = (error: Fault): void => {
      hasFailed = true
      request.report(error)
    }
    const { reporter } = this.#base
    const events = telemetry && new RequestEvents(telemetry)
    const emitter = trace ? both(events, trace) : events
    const settings: SpawnSettings = {
      ...this.#base.settings,
      emitter,
      sharedStates: this.#states,
      trace: trace?.ofCall,
      report,
      ask: ({ tool, input, text = JSON.stringify(input), wrong }) => request.approve({ tool, input: text, agent: tool, wrong }),
    }
    const leased = await this.#take(request, emitter)
    if (!leased.ok) return report(leased.error)
    const drop = (error: readonly Fault[]): void => {
      for (const lease of leased.value.values()) lease.drop()
      for (const lease of leased.value.values()) void lease.release(false)
      error.forEach(report)
    }
    const opened = await this.#openTools(settings)
    if (!opened.ok) return drop(opened.error)
    if (signal.aborted) return drop([])
    let hasStarted = false
    const startHere: StartHere = ({ name, bound }) => {
      const agent = { name, bound, ask: request.ask, maxLine: settings.options.lines.maxLine + ENVELOPE_BYTES }
      return isRemote(bound) ? startA2a(agent) : startPerson(agent)
    }
    const spawn: typeof spawnAll = (_, options) => {
      const started = spawnAll(this.#others, { ...options, startHere })
      if (!started.ok) return started
      for (const [node, { spawned }] of leased.value) started.value.set(node, spawned)
      for (const [node, plumb] of this.#plumbs)
        started.value.set(
          node,
          startPlumb(node, plumb, { ...request, telemetry: this.#tellOf(node, events, trace), trace: trace && (trace.inner ?? trace) }),
        )
      hasStarted = true
      return started
    }
    const run = new GraphRun({
      ...request,
      ...opened.value,
      name: this.#name,
      graph: this.#graph,
      reporter,
      settings,
      emitter,
      spawn,
    })
    const stop = (): void => run.stop()
    signal.addEventListener('abort', stop, { once: true })
    await run.run()
    signal.removeEventListener('abort', stop)
    if (!hasStarted) return drop([])
    await Promise.all(
      [...leased.value].map(async ([node, lease]) => {
        const memory = await lease.release(memories?.keep !== undefined && !signal.aborted)
        // What ended an agent in the middle of its answer is told already.
        if (!memory.ok) return hasFailed ? undefined : report(memory.error)
        const refused = memory.value && memories?.keep?.(this.#place(node), memory.value)
        if (refused) report(refused)
      }),
    )
  }

  /** What the agents of a nested plumb tell. */
  #tellOf(node: GraphNode, events: RequestEvents | undefined, trace: TracedGraph | undefined): TelemetryListener | undefined {
    const place = this.#place(node)
    const tell = events?.of(place)
    if (!trace) return tell
    return (telemetry) => {
      tell?.(telemetry)
      trace.emit({ kind: 'telemetry', process: place, telemetry })
    }
  }

  #place(node: GraphNode): string {
    return this.#places.get(node) ?? node.name
  }

  async #take(
    { report, memories, approve, trace }: GraphRequest,
    emitter: RunEmitter | undefined,
  ): Promise<Result<Map<GraphNode, PooledLease>>> {
    const leases = new Map<GraphNode, PooledLease>()
    const taken = await Promise.all(
      [...this.#pools].map(async ([node, pool]) => {
        const use = { emitter, trace: trace?.ofCall, report, approve: (asked: AskedApproval) => approve({ ...asked, agent: node.name }) }
        const lease = await pool.take(use, memories?.of(this.#place(node)))
        if (lease.ok) leases.set(node, lease.value)
        return lease
      }),
    )
    const failed = taken.find(({ ok }) => !ok)
    if (!failed || failed.ok) return succeed(leases)
    for (const lease of leases.values()) {
      lease.drop()
      void lease.release(false)
    }
    return failed
  }

  async #openTools(
    settings: SpawnSettings,
  ): Promise<Result<{ tools: ReadonlyMap<GraphNode, ToolService>; mapped: ReadonlyMap<GraphNode, MappedTool> }, readonly Fault[]>> {
    const { reporter } = this.#base
    const tools = await openToolServices(this.#others, settings, reporter)
    if (!tools.ok) return tools
    const mapped = await openMappedTools(this.#graph, settings, reporter)
    if (mapped.ok) return { ok: true, value: { tools: tools.value, mapped: mapped.value } }
    for (const service of tools.value.values()) void service.close()
    return mapped
  }
}

const both = (events: RunEmitter | undefined, trace: TracedGraph): RunEmitter => ({
  hasWires: false,
  emit: (event) => {
    events?.emit(event)
    trace.emit(event)
  },
  finish: async () => {},
})

const startPlumb = (node: GraphNode, plumb: ServedGraph, request: GraphRequest): Spawned => {
  const isEnveloped = node.inputs.length !== 1
  const { child, ends } = openInProcessChild([LET_GO_FD])
  const reporter = new Reporter('plumb', () => ends.stderr, { isJson: true })
  const requests = ends.fds.get(LET_GO_FD) as LineSource
  const inner = plumb.run({
    ...request,
    stdin: ends.stdin,
    stdout: ends.stdout,
    numbered: { requests, isForOurs: true },
    envelopes: isEnveloped ? 'all' : 'none',
    report: (fault) => reporter.report(fault),
    signal: ends.stopped,
  })
  void inner.then(async () => {
    await reporter.end()
    ends.exit(reporter.status)
  })
  return { child, kind: 'plumb', isEnveloped, isCounting: true, controls: 0 }
}
