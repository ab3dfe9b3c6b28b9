// What a person, a file or a collector sees of a run: opened before it starts, from what the command line and the environment ask for.

import { fstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { WriteStream } from 'node:tty'
import { type Fault, fault, isTerminal, openOutput, type Reporter, type Result, succeed, type Telemetry } from '@plumb/wire'
import type { Watcher } from '../event/run-event.js'
import { TRACE_FILE } from '../record/folder.js'
import type { RecordPlace } from '../record/recorder.js'
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

/** As given on the command line. */
export interface SightOptions {
  readonly trace: string | undefined
  /** Undefined: on a terminal that nobody types into. */
  readonly progress: boolean | undefined
  readonly summary: 'text' | 'json' | undefined
  readonly prices: string | undefined
}

type Usage = Extract<Telemetry, { kind: 'usage' }>

// A record has all messages in files of its own: the timeline beside them is for a person to look at.
const RECORD_TRACE_BYTES = 16 * 1024 * 1024

export class Sight {
  readonly #options: SightOptions
  readonly #isChild: boolean
  readonly #screen: LiveScreen | undefined
  readonly #isPlain: boolean
  #clock: ProgressClock | undefined
  #prices: Prices | undefined

  /** `isChild`: a parent runs us, who shows what is to be seen. */
  constructor(options: SightOptions, { isChild }: { readonly isChild: boolean }) {
    this.#options = options
    this.#isChild = isChild
    const isLive = isTerminal(2) && process.env.TERM !== 'dumb' && !isChild
    const isWanted = options.progress ?? (isLive && !isTerminal(0))
    const stderr = isWanted && isLive ? openOutput(2) : undefined
    this.#screen = stderr instanceof WriteStream ? new LiveScreen(stderr, () => this.#lines()) : undefined
    this.#isPlain = isWanted && !this.#screen
  }

  /** Where errors go: on a terminal they stand above the live lines. */
  openStderr(): Writable {
    return this.#screen ?? openOutput(2)
  }

  /** On a terminal, outputs take the place of the live lines. */
  openStdout(): Writable {
    const stdout = openOutput(1)
    return this.#screen && stdout instanceof WriteStream ? new OutputBesideScreen(stdout, this.#screen) : stdout
  }

  /** Live lines are away while that is done. */
  readonly quietly = <T>(work: () => Promise<T>): Promise<T> => this.#screen?.without(work) ?? work()

  /** `record`: what the run is recorded in. Nothing was started where it fails. */
  open(reporter: Reporter, record: RecordPlace | undefined, report: (fault: Fault) => void): Result<Watcher[]> {
    const { summary, prices: file } = this.#options
    const prices = file === undefined ? succeed(undefined) : readPrices(file)
    if (!prices.ok) return prices
    this.#prices = prices.value
    const trace = this.#openTrace(record, report)
    if (!trace.ok) return trace
    const spans = this.#openSpans(reporter)
    if (!spans.ok) return spans
    const isCounted = this.#screen !== undefined || this.#isPlain || summary !== undefined
    const counting = isCounted ? this.#openCounting(reporter, prices.value) : []
    return succeed([trace.value, spans.value, ...counting].filter((watcher) => watcher !== undefined))
  }

  /** What a request to a model cost, by --prices; undefined: there are none, or none for this model. */
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

  #openTrace(record: RecordPlace | undefined, report: (fault: Fault) => void): Result<Watcher | undefined> {
    const { trace } = this.#options
    if (trace !== undefined) return openTraceFile({ path: trace, fail: report })
    return record === undefined
      ? succeed(undefined)
      : openTraceFile({ path: join(record.folder, TRACE_FILE), spare: record.spare, maxBytes: RECORD_TRACE_BYTES, fail: report })
  }

  #openSpans(reporter: Reporter): Result<Watcher | undefined> {
    const settings = this.#isChild ? undefined : readOtlpSettings(process.env)
    if (!settings?.ok) return settings ?? succeed(undefined)
    const warn = (text: string) => reporter.warn(fault('connection_failed', text))
    return succeed(new OtlpSpans(new BatchSpanExporter(settings.value, warn), settings.value))
  }

  #openCounting(reporter: Reporter, prices: Prices | undefined): Watcher[] {
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
      ...(this.#isPlain ? [progressLines(clock, { isJson, write })] : []),
      ...(summary === undefined ? [] : [summaryListener({ counter, prices, form: summary, write })]),
    ]
  }

  #lines(): readonly string[] {
    const state = this.#clock?.state
    if (!state || !this.#screen) return []
    const { columns, rows } = this.#screen
    // The last column stays free: some terminals begin a new line when it is written. One row is for what others write.
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
