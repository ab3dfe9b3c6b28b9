// Runs a graph in this process over its own streams: the wiring of `plumb run`, with given children. It ends when all of its outputs have
// closed, or is stopped.

import type { Graph, GraphNode } from '@plumb/lang'
import { type Fault, LineReader, type LineSink, type LineSource, LineWriter, type Reporter } from '@plumb/wire'
import type { SpawnSettings } from '../child/agent-start.js'
import type { spawnAll } from '../child/spawn.js'
import type { ToolService } from '../child/tool-service.js'
import type { RunEmitter } from '../event/emitter.js'
import { deferred } from '../graph/deferred.js'
import type { MappedTool } from '../graph/morphism/calls.js'
import { RunLoop, type RunLoopOptions } from './run-loop.js'
import type { Wired } from './wired.js'
import { wireUp } from './wiring.js'

export interface GraphRunOptions {
  readonly name: string
  readonly graph: Graph
  readonly stdin: LineSource
  readonly stdout: LineSink
  /** What becomes of each input is told on `stdout` in numbered lines. */
  readonly numbered?: NonNullable<RunLoopOptions['numbered']> | undefined
  readonly reporter: Reporter
  readonly report: (fault: Fault) => void
  readonly settings: SpawnSettings
  readonly emitter: RunEmitter | undefined
  readonly envelopes: 'all' | 'some' | 'none'
  readonly spawn: typeof spawnAll
  readonly tools: ReadonlyMap<GraphNode, ToolService>
  readonly mapped: ReadonlyMap<GraphNode, MappedTool>
  /** Called with the number of each input of which nothing more can come. */
  readonly done?: (seq: number) => void
}

export class GraphRun {
  readonly #o: GraphRunOptions
  readonly #closed = deferred()
  #wired: Wired | undefined
  #openOutputs: number
  #isStopped = false
  readonly #reader: LineReader
  readonly #writer: LineWriter
  readonly #loop: RunLoop

  constructor(options: GraphRunOptions) {
    this.#o = options
    this.#openOutputs = options.graph.nodes.filter(({ work }) => work.kind === 'output').length
    const { maxLine } = options.settings.options.lines
    this.#reader = new LineReader(options.stdin, { maxLine, onReadable: () => this.#loop.wake() })
    this.#writer = new LineWriter(options.stdout, { onDrain: () => this.#loop.wake(), onClosed: () => this.stop() })
    const { name, numbered, reporter, done } = options
    this.#loop = new RunLoop({ name, writer: this.#writer, telemetry: null, numbered, reporter })
    if (done) this.#loop.current.done = done
  }

  /** Resolves when all of its output is with its readers. */
  async run(): Promise<void> {
    const { reporter, report, settings, numbered } = this.#o
    const wired = wireUp({
      ...this.#o,
      reader: this.#reader,
      writer: this.#writer,
      settings,
      schedule: this.#loop.schedule,
      reporter,
      report: (fault) => this.#report(fault),
      hasSeq: !numbered,
      lines: this.#loop.lines,
      current: this.#loop.current,
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
    this.#loop.begin(wired.value)
    await this.#closed.promise
    await this.#loop.end(wired.value)
    this.#loop.schedule.stop()
    await this.#writer.end()
    this.#loop.flushed()
  }

  /** Messages in flight are dropped. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#loop.schedule.stop()
    const { input, calls, children } = this.#wired ?? { input: undefined, calls: [], children: [] }
    input?.abandon()
    for (const call of calls) void call.stop()
    for (const child of children) child.kill()
    this.#closed.resolve()
  }

  #report(fault: Fault): void {
    if (!this.#isStopped && !this.#loop.takes(fault)) this.#o.report(fault)
  }

  #outputClosed(): void {
    this.#openOutputs--
    if (this.#openOutputs > 0) return
    this.#wired?.input.end()
    this.#closed.resolve()
  }
}
