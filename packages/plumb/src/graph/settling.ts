// Tells a parent with a loop or a barrier what is done with, and what waits for others; and hears when the parent asks for what waits in
// batches.

import { LineReader, type LineSource, type LineWriter, type Settled, type TelemetryWriter } from '@plumb/wire'
import type { InputContext } from './input-context.js'

export interface SettlingOptions {
  readonly telemetry: TelemetryWriter
  readonly writer: LineWriter
  readonly current: InputContext
  /** Where the parent asks for what waits in batches, a line each time. Undefined: it never does. */
  readonly requests: LineSource | undefined
}

/** Of what is in a process. */
export interface Rest {
  /** Nothing is in flight: what there is waits for others. */
  readonly isStill: boolean
  /** Some of that in batches. */
  readonly isBatched: boolean
}

type Told = Omit<Settled, 'kind' | 'lost'>

export class Settling {
  readonly #o: SettlingOptions
  /** What was reported last; -1: nothing yet. */
  #told: Told = { inputs: -1, controls: 0, outputs: 0 }
  /** Requests that were heard. */
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

  /** `taken`: inputs, good or bad. `rest`: nothing is left to do now, so that new outputs alone, and what waits, are reported too. */
  tell(taken: number, rest?: () => Rest): void {
    const { telemetry, writer, current } = this.#o
    if (!telemetry.isOn) return
    const inputs = Math.min(taken, current.oldest - 1)
    const now = {
      inputs,
      controls: this.#controls,
      outputs: writer.lines,
      ...(taken > inputs && rest ? waitingOf(taken - inputs, rest()) : {}),
    }
    if (!isNews(this.#told, now, rest !== undefined)) return
    this.#told = now
    const lost = current.takeLost()
    writer.flush()
    telemetry.emit({ kind: 'settled', ...now, ...(lost.length > 0 ? { lost } : {}) })
  }
}

const waitingOf = (waiting: number, { isStill, isBatched }: Rest): Pick<Settled, 'waiting' | 'batched'> =>
  isStill ? { waiting, ...(isBatched ? { batched: true } : {}) } : {}

const isNews = (told: Told, now: Told, isQuiet: boolean): boolean =>
  now.inputs !== told.inputs ||
  now.controls !== told.controls ||
  (isQuiet && (now.outputs !== told.outputs || now.waiting !== told.waiting || now.batched !== told.batched))
