// Reports to readers of telemetry what has settled: the inputs of which nothing more can come.

import type { LineWriter, Reporter, Settled, TelemetryWriter } from '@plumb/wire'
import type { InputContext } from './input-context.js'
import type { ParentReport } from './parent-report.js'

export interface SettlingOptions {
  readonly telemetry: TelemetryWriter
  readonly writer: LineWriter
  readonly reporter: Pick<Reporter, 'errors' | 'flush'>
  readonly current: InputContext
}

type Reported = Omit<Settled, 'kind'>

export class Settling implements ParentReport {
  readonly #o: SettlingOptions
  /** The last report; -1: none yet. */
  #reported: Reported = { inputs: -1, controls: 0, outputs: 0 }

  constructor(options: SettlingOptions) {
    this.#o = options
  }

  report(taken: number, isIdle: boolean): void {
    const { telemetry, writer, reporter, current } = this.#o
    if (!telemetry.isOn) return
    // Errors are written before the report that counts them, and before outputs of later inputs.
    reporter.flush()
    const { errors } = reporter
    const now = {
      inputs: Math.min(taken, current.oldest - 1),
      controls: 0,
      outputs: writer.lines,
      ...(errors > 0 ? { errors } : {}),
    }
    if (!isNews(this.#reported, now, isIdle)) return
    this.#reported = now
    writer.flush()
    telemetry.emit({ kind: 'settled', ...now })
  }
}

const isNews = (reported: Reported, now: Reported, isIdle: boolean): boolean =>
  now.inputs !== reported.inputs || (isIdle && (now.outputs !== reported.outputs || now.errors !== reported.errors))
