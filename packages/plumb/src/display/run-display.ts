// What is shown of a run: live progress, a summary, a trace, spans for a collector, as the command line and the environment ask.

import { fstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { WriteStream } from 'node:tty'
import { type Fault, fault, isTerminal, openOutput, type Reporter, type Result, succeed, type Telemetry } from '@plumb/wire'
import type { RunListener } from '../event/run-event.js'
import { TRACE_FILE } from '../record/folder.js'
import type { RecordFolder } from '../record/recorder.js'
import type { DisplayOptions } from '../run/run-options.js'
import { LiveScreen, OutputBesideScreen } from './live-screen.js'
import { BatchSpanExporter } from './otlp/batch-span-exporter.js'
import { readOtlpSettings } from './otlp/otlp-settings.js'
import { OtlpSpans } from './otlp/otlp-spans.js'
import { costOf, type Prices, priceOf, readPrices } from './prices.js'
import { liveProgress, ProgressClock, progressLines } from './progress.js'
import { colorTable, progressTable } from './progress-table.js'
import { StatsCounter } from './stats-counter.js'
import { summaryListener } from './summary.js'
import { openTraceFile } from './trace/trace-file.js'

type Usage = Extract<Telemetry, { kind: 'usage' }>

// A record has all messages in files of its own; its trace is a timeline for a person, who looks at no more.
const RECORD_TRACE_BYTES = 16 * 1024 * 1024

export class RunDisplay {
  readonly #options: DisplayOptions
  readonly #isChild: boolean
  readonly #screen: LiveScreen | undefined
  readonly #hasPlainLines: boolean
  #clock: ProgressClock | undefined
  #prices: Prices | undefined

  /** `isChild`: the parent that runs us shows the run. */
  constructor(options: DisplayOptions, { isChild }: { readonly isChild: boolean }) {
    this.#options = options
    this.#isChild = isChild
    const isLive = isTerminal(2) && process.env.TERM !== 'dumb' && !isChild
    const hasProgress = options.progress ?? (isLive && !isTerminal(0))
    const stderr = hasProgress && isLive ? openOutput(2) : undefined
    this.#screen = stderr instanceof WriteStream ? new LiveScreen(stderr, () => this.#lines()) : undefined
    this.#hasPlainLines = hasProgress && !this.#screen
  }

  /** For errors: on a terminal they stand above the live lines. */
  openStderr(): Writable {
    return this.#screen ?? openOutput(2)
  }

  /** For outputs: on a terminal they take the place of the live lines. */
  openStdout(): Writable {
    const stdout = openOutput(1)
    return this.#screen && stdout instanceof WriteStream ? new OutputBesideScreen(stdout, this.#screen) : stdout
  }

  /** Live lines are erased until `work` is done. */
  readonly withoutLiveLines = <T>(work: () => Promise<T>): Promise<T> => this.#screen?.without(work) ?? work()

  /** `record`: the folder that the run is recorded in. When it fails nothing was started. */
  openListeners(reporter: Reporter, record: RecordFolder | undefined, report: (fault: Fault) => void): Result<RunListener[]> {
    const { summary, prices: file } = this.#options
    const prices = file === undefined ? succeed(undefined) : readPrices(file)
    if (!prices.ok) return prices
    this.#prices = prices.value
    const trace = this.#openTrace(record, report)
    if (!trace.ok) return trace
    const spans = this.#openSpans(reporter)
    if (!spans.ok) return spans
    const isCounted = this.#screen !== undefined || this.#hasPlainLines || summary !== undefined
    const counting = isCounted ? this.#openCounting(reporter, prices.value) : []
    return succeed([trace.value, spans.value, ...counting].filter((listener) => listener !== undefined))
  }

  /** The cost of a request to a model, by --prices; undefined: there are none, or none for this model. */
  readonly costOf = ({
    model,
    input_tokens,
    output_tokens,
    cache_read_tokens = 0,
    cache_creation_tokens = 0,
  }: Usage): number | undefined => {
    const price = this.#prices && priceOf(this.#prices, model)
    const tokens = { input: input_tokens, output: output_tokens, cache_read: cache_read_tokens, cache_creation: cache_creation_tokens }
    return price && costOf(price, tokens)
  }

  #openTrace(record: RecordFolder | undefined, report: (fault: Fault) => void): Result<RunListener | undefined> {
    const { trace } = this.#options
    if (trace !== undefined) return openTraceFile({ path: trace, fail: report })
    return record === undefined
      ? succeed(undefined)
      : openTraceFile({ path: join(record.folder, TRACE_FILE), spare: record.spare, maxBytes: RECORD_TRACE_BYTES, fail: report })
  }

  #openSpans(reporter: Reporter): Result<RunListener | undefined> {
    const settings = this.#isChild ? undefined : readOtlpSettings(process.env)
    if (!settings?.ok) return settings ?? succeed(undefined)
    const warn = (text: string) => reporter.warn(fault('connection_failed', text))
    return succeed(new OtlpSpans(new BatchSpanExporter(settings.value, warn), settings.value))
  }

  #openCounting(reporter: Reporter, prices: Prices | undefined): RunListener[] {
    const { summary } = this.#options
    const counter = new StatsCounter()
    const clock = new ProgressClock({ counter, prices, inputBytes: inputBytes() })
    this.#clock = clock
    const write = (line: string) => reporter.write(line)
    const isJson = process.env.PLUMB_ERRORS === 'json'
    return [
      counter,
      clock,
      ...(this.#screen ? [liveProgress(this.#screen)] : []),
      ...(this.#hasPlainLines ? [progressLines(clock, { isJson, write })] : []),
      ...(summary === undefined ? [] : [summaryListener({ counter, prices, form: summary, write })]),
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
