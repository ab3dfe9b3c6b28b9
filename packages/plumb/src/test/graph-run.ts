// Runs a graph in this process over streams of its own: the wiring of `plumb run`, with children that are given. It ends when all of its
// outputs have closed, or is stopped.

import type { Graph, GraphNode } from '@plumb/lang'
import { type Fault, LineReader, type LineSink, type LineSource, LineWriter, type Reporter, TelemetryWriter } from '@plumb/wire'
import type { SpawnSettings } from '../child/agent-start.js'
import type { spawnAll } from '../child/spawn.js'
import type { RunEmitter } from '../event/emitter.js'
import { deferred } from '../graph/deferred.js'
import { InputContext } from '../graph/input-context.js'
import type { Callable } from '../graph/morphism/calls.js'
import { Quiescence, Schedule } from '../graph/schedule.js'
import { Settling } from '../graph/settling.js'
import { type Wired, wireUp } from '../run/wiring.js'
import type { ToolService } from '../tools/tool-service.js'

export interface GraphRunOptions {
  readonly name: string
  readonly graph: Graph
  readonly stdin: LineSource
  readonly stdout: LineSink
  /** For a parent that joins by origin: what has settled. */
  readonly telemetry?: LineWriter
  /** Where that asks for what waits in batches. */
  readonly requests?: LineSource
  readonly reporter: Reporter
  readonly report: (fault: Fault) => void
  readonly settings: SpawnSettings
  readonly emitter: RunEmitter | undefined
  readonly envelopes: 'all' | 'some' | 'none'
  readonly spawn: typeof spawnAll
  readonly tools: ReadonlyMap<GraphNode, ToolService>
  readonly mapped: ReadonlyMap<GraphNode, Callable>
}

export class GraphRun {
  readonly #o: GraphRunOptions
  readonly #schedule = new Schedule(
    () => this.#idle(),
    () => this.#quiescence.busy(),
  )
  readonly #quiescence = new Quiescence(() => this.#judge())
  readonly #current: InputContext
  readonly #closed = deferred()
  #wired: Wired | undefined
  #openOutputs: number
  #isStopped = false
  readonly #reader: LineReader
  readonly #writer: LineWriter
  readonly #settling: Settling

  constructor(options: GraphRunOptions) {
    this.#o = options
    this.#openOutputs = options.graph.nodes.filter(({ work }) => work.kind === 'output').length
    this.#current = new InputContext(options.telemetry !== undefined)
    this.#reader = new LineReader(options.stdin, { onReadable: () => this.#wake() })
    this.#writer = new LineWriter(options.stdout, { onDrain: () => this.#wake(), onClosed: () => this.stop() })
    const telemetry = new TelemetryWriter(options.telemetry ?? null, options.name)
    this.#settling = new Settling({ telemetry, writer: this.#writer, current: this.#current, requests: options.requests })
  }

  /** Resolves when all that it wrote is with its readers. */
  async run(): Promise<void> {
    const { reporter, report, settings, telemetry } = this.#o
    const wired = wireUp({
      ...this.#o,
      reader: this.#reader,
      writer: this.#writer,
      settings,
      schedule: this.#schedule,
      reporter,
      report: (fault) => this.#report(fault),
      isNumbered: true,
      isNested: telemetry !== undefined,
      current: this.#current,
      rejects: undefined,
      parent: undefined,
      handled: () => {},
      outputClosed: () => this.#outputClosed(),
      fail: (fault) => {
        this.#report(fault)
        this.stop()
      },
    })
    if (!wired.ok) return report(wired.error)
    this.#wired = wired.value
    const { children, calls, batches, start, hangUp } = wired.value
    this.#settling.listen(() => {
      batches.letGo()
      this.#schedule.wake()
    })
    this.#settle(true)
    start()
    this.#schedule.wake()
    await this.#closed.promise
    this.#settling.stopListening()
    this.#schedule.wake()
    hangUp()
    await Promise.all(children.map((child) => child.exited.then(hangUp)))
    await Promise.all(calls.map((call) => call.stop()))
    for (const child of children) child.reportDropped()
    this.#schedule.stop()
    await this.#writer.end()
    this.#settle(true)
    await telemetry?.end()
  }

  /** What is in hand comes to nothing. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#schedule.stop()
    const { input, calls, children } = this.#wired ?? { input: undefined, calls: [], children: [] }
    input?.abandon()
    for (const call of calls) void call.stop()
    for (const child of children) child.kill()
    this.#closed.resolve()
  }

  #report(fault: Fault): void {
    if (!this.#isStopped) this.#o.report(fault)
  }

  #outputClosed(): void {
    this.#openOutputs--
    if (this.#openOutputs > 0) return
    this.#wired?.input.end()
    this.#closed.resolve()
  }

  #wake(): void {
    if (this.#wired) this.#schedule.wake()
  }

  #idle(): void {
    this.#settle(false)
    this.#quiescence.idle()
  }

  #judge(): void {
    const { cycles = [] } = this.#wired ?? {}
    if (cycles.filter((cycle) => cycle.closeIfQuiet()).length > 0) this.#schedule.wake()
    this.#settle(true)
  }

  #settle(isQuiet: boolean): void {
    const { input, batches } = this.#wired ?? {}
    this.#settling.tell(input?.taken ?? 0, isQuiet && batches ? () => batches.rest : undefined)
  }
}
