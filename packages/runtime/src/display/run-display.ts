// What is shown of a run: live progress, a summary, a trace, spans for a collector, as the command line and the environment ask.

import { fstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { WriteStream } from 'node:tty'
import { costOfCall, costOfUsage, loadPrices, type Prices, readPrices } from '@plumb/ledger'
import { namesCollector } from '@plumb/tool/otlp/environment'
import {
  type Fault,
  fault,
  isTerminal,
  openDataOutput,
  openOutput,
  type Reporter,
  type Result,
  readUsage,
  type Styled,
  succeed,
  type Telemetry,
  toDollars,
} from '@plumb/wire'
import type { RunListener } from '../event/run-event.js'
import type { RunOptions } from '../options/run-options.js'
import { TRACE_FILE } from '../record/directory.js'
import type { RecordDirectory } from '../record/recorder.js'
import { LiveScreen, OutputBesideScreen } from './live-screen.js'
import { type Counted, liveProgress, ProgressClock, progressLines } from './progress.js'
import { colorTable, progressTable } from './progress-table.js'
import { type CostOf, StatsCounter } from './stats-counter.js'
import { summaryListener } from './summary.js'
import { openTraceFile } from './trace/trace-file.js'

type Usage = Extract<Telemetry, { kind: 'usage' }>

// A record has all messages in files of its own; its trace is a timeline for a person, who reads long texts from those.
const RECORD_TRACE = { whole: 16 * 1024 * 1024, brief: 96 * 1024 * 1024 }

export class RunDisplay {
  readonly #options: RunOptions['display']
  readonly #isChild: boolean
  readonly #screen: LiveScreen | undefined
  readonly #hasPlainLines: boolean
  #clock: ProgressClock | undefined
  #prices: Prices | undefined

  /** `isChild`: the parent that runs us shows the run. */
  constructor(options: RunOptions['display'], { isChild }: { readonly isChild: boolean }) {
    this.#options = options
    this.#isChild = isChild
    const isLive = isTerminal(2) && process.env.TERM !== 'dumb' && !isChild
    const hasProgress = options.progress ?? (isLive && !isTerminal(0))
    const stderr = hasProgress && isLive ? openOutput(2) : undefined
    this.#screen = stderr instanceof WriteStream ? new LiveScreen(stderr, () => this.#lines()) : undefined
    this.#hasPlainLines = hasProgress && !this.#screen
  }

  /** For errors: on a terminal they are above the live lines. */
  openStderr(): Writable {
    return this.#screen ?? openOutput(2)
  }

  /** For outputs: on a terminal they take the place of the live lines. */
  openStdout(): Writable {
    const stdout = openDataOutput(1)
    return stdout instanceof WriteStream ? new OutputBesideScreen(stdout, this.#screen) : stdout
  }

  /** Live lines are erased until `work` is done. */
  readonly withoutLiveLines = <T>(work: () => Promise<T>): Promise<T> => this.#screen?.without(work) ?? work()

  /** Progress or a summary is asked for. */
  get isCounting(): boolean {
    return this.#screen !== undefined || this.#hasPlainLines || this.#options.summary !== undefined
  }

  /** `record`: the directory that the run is recorded in. When it fails nothing was started. */
  async openListeners(
    reporter: Reporter,
    record: RecordDirectory | undefined,
    report: (fault: Fault) => void,
  ): Promise<Result<RunListener[]>> {
    const written = await this.openWritten(reporter, record, report)
    if (!written.ok || !this.isCounting) return written
    const counter = new StatsCounter(this.#nanoOf)
    return succeed([...written.value, counter, ...this.openCounts(reporter, counter, record?.directory)])
  }

  /** Without what is shown while the run goes on. */
  async openWritten(
    reporter: Reporter,
    record: RecordDirectory | undefined,
    report: (fault: Fault) => void,
  ): Promise<Result<RunListener[]>> {
    const { prices: file } = this.#options
    const given = file === undefined ? succeed(undefined) : readPrices(file)
    if (!given.ok) return given
    this.#prices = await loadPrices(given.value)
    const trace = this.#openTrace(record, report)
    if (!trace.ok) return trace
    const collected = await this.#openCollected(reporter)
    if (!collected.ok) return collected
    return succeed([trace.value, ...collected.value].filter((listener) => listener !== undefined))
  }

  /** The cost of a request to a model, in dollars; undefined: it has no price. */
  readonly costOf = (usage: Usage): number | undefined => {
    const nano = costOfUsage(this.#prices, readUsage(usage).usage)
    return nano === undefined ? undefined : toDollars(nano)
  }

  readonly #nanoOf: CostOf = (call) => costOfCall(this.#prices, call)

  #openTrace(record: RecordDirectory | undefined, report: (fault: Fault) => void): Result<RunListener | undefined> {
    const { trace } = this.#options
    if (trace !== undefined) return openTraceFile({ path: trace, costOf: this.#nanoOf, fail: report })
    return record === undefined
      ? succeed(undefined)
      : openTraceFile({
          path: join(record.directory, TRACE_FILE),
          spare: record.spare,
          limits: RECORD_TRACE,
          costOf: this.#nanoOf,
          fail: report,
        })
  }

  async #openCollected(reporter: Reporter): Promise<Result<readonly RunListener[]>> {
    if (this.#isChild || !namesCollector()) return succeed([])
    const { openOtlp } = await import('./otlp/open-otlp.js')
    return openOtlp(process.env, this.#nanoOf, (text) => reporter.warn(fault('connection_failed', text)))
  }

  /** Progress and the summary of counts kept elsewhere. The listeners get the begin event, with the time since it, and the end event. */
  openCounts(reporter: Reporter, counter: Counted, record?: string): RunListener[] {
    const { summary, asksCost } = this.#options
    const clock = new ProgressClock({ counter, asksCost, inputBytes: inputBytes() })
    this.#clock = clock
    const write = (line: string | Styled) => reporter.write(line)
    const isJson = process.env.PLUMB_ERRORS === 'json'
    return [
      clock,
      ...(this.#screen ? [liveProgress(this.#screen)] : []),
      ...(this.#hasPlainLines ? [progressLines(clock, { isJson, write })] : []),
      ...(summary === undefined
        ? []
        : [summaryListener({ clock, form: summary, write, columns: reporter.isStyled ? reporter.columns : undefined, record })]),
    ]
  }

  #lines(): readonly string[] {
    const state = this.#clock?.state
    if (!state || !this.#screen) return []
    const { columns, rows } = this.#screen
    // The last column stays free: some terminals begin a new line after it. One row is for what other programs write.
    return colorTable(progressTable(state, { columns: columns - 1, rows: rows - 2 }))
  }
}

const inputBytes = (): number | undefined => {
  try {
    const stat = fstatSync(0)
    return stat.isFile() ? stat.size : undefined
  } catch {
    return undefined
  }
}
