// plumb run: wires a binding up, lets it run until it is quiet, and ends in good order whatever happens.

import { type Bound, planOf } from '@plumb/lang'
import {
  dieOf,
  type Fault,
  LineReader,
  LineWriter,
  onStop,
  openInput,
  openOutput,
  Reporter,
  type StopSignal,
  succeed,
  TelemetryWriter,
} from '@plumb/wire'
import { openTools, servesTools } from './dispatch.js'
import { findDocroot } from './docroot.js'
import { type Loaded, load, refuseErrors, type SpecOptions } from './load.js'
import { openGiver, type Permissions } from './permissions.js'
import { processNamed } from './process-named.js'
import { Quiescence } from './quiescence.js'
import { Schedule } from './schedule.js'
import { type Wired, wireUp } from './wiring.js'

export interface RunOptions extends SpecOptions {
  readonly binding: string
  readonly rawInput: boolean
  readonly rawOutput: boolean
  readonly envelopes: 'all' | 'some' | 'none'
  /** Write outputs with the numbers of their inputs. */
  readonly isNumbered: boolean
  readonly maxLine: number
  readonly maxInFlight: number
  /** What is handed on to agents: `--provider P`… */
  readonly handedOn: readonly string[]
  readonly docroot: string | undefined
  readonly provider: string | undefined
  readonly model: string | undefined
  readonly permissions: Permissions
  readonly agentProgram: string | undefined
  readonly toolProgram: string | undefined
  /** Say on fd 3 what has settled. */
  readonly telemetry: boolean
}

/** What is in flight has so long to finish after the first signal. */
const GRACE_MS = 5000
/** A child that was asked to end has so long before it is killed. */
const CHILD_GRACE_MS = 2000

/** Resolves to the exit status; a run that was stopped by a signal dies of it. */
export const run = async (path: string | undefined, options: RunOptions): Promise<number> => {
  const reporter = new Reporter('plumb', openOutput(2))
  const died = await start(path, options, reporter)
  await reporter.end()
  if (died) dieOf(died)
  return reporter.status
}

const start = async (path: string | undefined, options: RunOptions, reporter: Reporter): Promise<StopSignal | undefined> => {
  const loaded = load(path, options)
  if (!loaded.ok) {
    reporter.report(loaded.error)
    return undefined
  }
  if (refuseErrors(loaded.value, reporter)) return undefined
  const bound = processNamed(loaded.value.compiled.program, options.binding)
  if (bound.ok) return new Run(bound.value, options, reporter).go(loaded.value)
  reporter.report(bound.error)
  return undefined
}

class Run {
  readonly #schedule = new Schedule()
  readonly #quiescence = new Quiescence(() => this.#judge())
  #wired: Wired | undefined
  #openOutputs = 0
  /** It is being ended early: what is said because of that is noise. */
  #isAborted = false
  readonly #reader: LineReader
  readonly #writer: LineWriter
  readonly #telemetry: TelemetryWriter
  readonly #telemetryLines: LineWriter | null
  #lastSettled = ''
  readonly #over: Promise<void>
  #end: () => void = () => {}
  /** Nobody waits any more for what has not been read. */
  readonly #cutShort: Promise<void>
  #cut: () => void = () => {}

  constructor(
    private readonly bound: Bound,
    private readonly options: RunOptions,
    private readonly reporter: Reporter,
  ) {
    this.#reader = new LineReader(openInput(0), { maxLine: options.maxLine, raw: options.rawInput })
    this.#writer = new LineWriter(openOutput(1), { raw: options.rawOutput })
    this.#telemetryLines = options.telemetry ? new LineWriter(openOutput(3)) : null
    this.#telemetry = new TelemetryWriter(this.#telemetryLines, bound.name)
    this.#over = new Promise((resolve) => {
      this.#end = resolve
    })
    this.#cutShort = new Promise((resolve) => {
      this.#cut = resolve
    })
  }

  async go({ files, handover }: Loaded): Promise<StopSignal | undefined> {
    const { permissions, envelopes, isNumbered } = this.options
    const graph = planOf(this.bound)
    this.#openOutputs = graph.nodes.filter((n) => n.work.kind === 'output').length
    const report = (f: Fault) => this.#report(f)
    const docroot = this.options.docroot === undefined ? succeed(undefined) : findDocroot(this.options.docroot)
    if (!docroot.ok) return this.#refuse(docroot.error)
    const giver = await openGiver(permissions, handover, servesTools(graph))
    if (!giver.ok) return this.#refuse(giver.error)
    const settings = { ...this.options, files, docroot: docroot.value, giver: giver.value, report }
    const tools = await openTools(graph, settings, this.reporter)
    if (!tools) return this.#refuse()
    const wired = wireUp({
      graph,
      reader: this.#reader,
      writer: this.#writer,
      schedule: this.#schedule,
      reporter: this.reporter,
      report,
      settings,
      tools,
      envelopes,
      isNumbered,
      outputClosed: () => this.#outputClosed(),
      fail: (f) => this.#fail(f),
    })
    if (wired.ok) {
      this.#wired = wired.value
      return this.#runThrough(wired.value)
    }
    for (const service of tools.values()) void service.close()
    return this.#refuse(wired.error)
  }

  /** Nothing was started. */
  #refuse(error?: Fault): undefined {
    if (error) this.reporter.report(error)
    this.#reader.stop()
    return undefined
  }

  async #runThrough({ children, input, start, hangUp }: Wired): Promise<StopSignal | undefined> {
    let stoppedBy: StopSignal | undefined
    let grace: NodeJS.Timeout | undefined
    const stopListening = onStop(
      (signal) => {
        stoppedBy = signal
        input.end()
        this.#schedule.wake()
        grace = setTimeout(() => this.#giveUp(CHILD_GRACE_MS), GRACE_MS)
      },
      () => this.#giveUp(0),
    )
    this.#writer.onDrain = () => this.#schedule.wake()
    this.#writer.onClosed = () => this.#abort(CHILD_GRACE_MS)
    this.#writer.onFault = (f) => this.#fail(f)
    this.#reader.onReadable = () => this.#schedule.wake()
    this.#schedule.onIdle = () => this.#quiescence.idle()
    this.#settle()
    start()
    this.#schedule.wake()
    await this.#over
    this.#schedule.wake()
    hangUp()
    await Promise.all(children.map((child) => child.exited.then(hangUp)))
    for (const child of children) child.reportDropped()
    this.#schedule.stop()
    await Promise.race([this.#flush(), this.#cutShort])
    clearTimeout(grace)
    stopListening()
    return stoppedBy
  }

  async #flush(): Promise<void> {
    await this.#writer.end()
    this.#settle()
    await this.#telemetryLines?.end()
  }

  #outputClosed(): void {
    this.#openOutputs--
    if (this.#openOutputs > 0) return
    // Before another line is taken: it would be for nobody.
    this.#wired?.input.end()
    this.#end()
  }

  #report(f: Fault): void {
    if (!this.#isAborted) this.reporter.report(f)
  }

  /** The run cannot go on: told once, and everything is ended. */
  #fail(f: Fault): void {
    this.#report(f)
    this.#abort(CHILD_GRACE_MS)
  }

  /** What is in flight had its time. */
  #giveUp(graceMs: number): void {
    for (const child of this.#wired?.children ?? []) child.reportUnfinished()
    this.#abort(graceMs)
    this.#cut()
  }

  #abort(graceMs: number): void {
    this.#isAborted = true
    this.#schedule.stop()
    this.#wired?.input.abandon()
    for (const child of this.#wired?.children ?? []) {
      if (graceMs === 0) child.kill()
      else void child.stop(graceMs)
    }
    this.#end()
  }

  #judge(): void {
    const { cycles = [] } = this.#wired ?? {}
    // Not every: each of them is to be asked.
    if (cycles.filter((cycle) => cycle.closeIfQuiet()).length > 0) this.#schedule.wake()
    this.#settle()
  }

  /** For a parent with a loop: what is done with, once nothing is in flight here. */
  #settle(): void {
    if (!this.#telemetry.isOn) return
    const isBusy = [...(this.#wired?.children ?? []), ...(this.#wired?.cycles ?? [])].some(({ inFlight }) => inFlight > 0)
    const inputs = this.#wired?.input.taken ?? 0
    const settled = { kind: 'settled', inputs, controls: 0, outputs: this.#writer.lines } as const
    if (isBusy || JSON.stringify(settled) === this.#lastSettled) return
    this.#lastSettled = JSON.stringify(settled)
    this.#writer.flush()
    this.#telemetry.emit(settled)
  }
}
