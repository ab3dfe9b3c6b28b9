// Reports to a parent with a loop or a barrier what is settled, and what waits for others; and receives the parent's requests to flush
// batches.

import { LineReader, type LineSource, type LineWriter, type Reporter, type Settled, type TelemetryWriter } from '@plumb/wire'
import type { InputContext } from './input-context.js'

export interface SettlingOptions {
  readonly telemetry: TelemetryWriter
  readonly writer: LineWriter
  readonly reporter: Pick<Reporter, 'errors' | 'flush'>
  readonly current: InputContext
  /** The descriptor on which the parent asks to flush batches, a line each time. Undefined: it never does. */
  readonly requests: LineSource | undefined
}

/** The messages in a process. */
export interface Rest {
  /** Nothing is in flight: all of them wait for others. */
  readonly isStill: boolean
  /** Some of them in batches. */
  readonly isBatched: boolean
}

type Reported = Omit<Settled, 'kind' | 'lost'>

export class Settling {
  readonly #o: SettlingOptions
  /** The last report; -1: none yet. */
  #reported: Reported = { inputs: -1, controls: 0, outputs: 0 }
  /** The number of requests so far. */
  #controls = 0

  constructor(options: SettlingOptions) {
    this.#o = options
  }

  /** Calls `letGo` for each request. */
  listen(letGo: () => void): void {
    const { requests } = this.#o
    if (!requests) return
    const take = (): void => {
      while (reader.next()) {
        this.#controls++
        letGo()
      }
    }
    const reader = new LineReader(requests, { onReadable: take })
  }

  stopListening(): void {
    this.#o.requests?.destroy()
  }

  /** `taken`: inputs, good or bad. `rest`: nothing is left to do now, so new outputs and waiting messages are reported too. */
  report(taken: number, rest?: () => Rest): void {
    const { telemetry, writer, reporter, current } = this.#o
    if (!telemetry.isOn) return
    // Errors are written before the report that counts them, and before outputs of later inputs.
    reporter.flush()
    const { errors } = reporter
    const inputs = Math.min(taken, current.oldest - 1)
    const now = {
      inputs,
      controls: this.#controls,
      outputs: writer.lines,
      ...(errors > 0 ? { errors } : {}),
      ...(taken > inputs && rest ? waitingOf(taken - inputs, rest()) : {}),
    }
    if (!isNews(this.#reported, now, rest !== undefined)) return
    this.#reported = now
    const lost = current.takeLost()
    writer.flush()
    telemetry.emit({ kind: 'settled', ...now, ...(lost.length > 0 ? { lost } : {}) })
  }
}

const waitingOf = (waiting: number, { isStill, isBatched }: Rest): Pick<Settled, 'waiting' | 'batched'> =>
  isStill ? { waiting, ...(isBatched ? { batched: true } : {}) } : {}

const isNews = (reported: Reported, now: Reported, isQuiet: boolean): boolean =>
  now.inputs !== reported.inputs ||
  now.controls !== reported.controls ||
  (isQuiet &&
    (now.outputs !== reported.outputs ||
      now.errors !== reported.errors ||
      now.waiting !== reported.waiting ||
      now.batched !== reported.batched))
