// Tells the answer to one input while it grows, as telemetry `partial`. Loaded for an agent that has it turned on.

import type { Type } from '@plumb/lang'
import { nowMs } from '@plumb/wire'
import type { Emit } from '../io/telemetry.js'
import { PartialJson } from './partial-json.js'

const INTERVAL_MS = 50
/** A longer value is told when it has grown by a part of itself, for each time all of it is told: so that this stays linear. */
const LONG = 2 * 65_536
const GROWTH = 1 / 8

export class Partials {
  readonly #type: Type
  readonly #emit: Emit
  #reader: PartialJson | undefined
  /** Since the last empty one, something was told. */
  #isShown = false
  #toldLength = 0
  #toldMs = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor(type: Type, emit: Emit) {
    this.#type = type
    this.#emit = emit
  }

  /** The model is asked: again, or after a round of tools. */
  begin(isRetry: boolean, isWrapped = false): void {
    this.stop()
    this.#reader = new PartialJson(this.#type, isWrapped)
    if (isRetry || this.#isShown) this.#tell(undefined, [''])
    this.#isShown = false
    this.#toldLength = 0
  }

  /** For the requests of one question; the first one is told of by `begin`. */
  onAttempt(): (attempt: number, isWrapped: boolean) => void {
    let isFirst = true
    return (attempt, isWrapped) => {
      this.begin(attempt > 1 && !isFirst, isWrapped)
      isFirst = false
    }
  }

  readonly emit: Emit = (event) => {
    this.#emit(event)
    if (event.kind === 'text') this.#take(event.delta)
    // What has come of a stream that broke is told no more while the next one is waited for.
    else if (event.kind === 'retry') this.stop()
  }

  /** The answer is whole, and this is the output. */
  end(json: string): void {
    this.stop()
    this.#tell(json, [])
  }

  /** Nothing more is told of what has come. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#reader = undefined
  }

  #take(delta: string): void {
    const reader = this.#reader
    if (!reader || reader.isLost) return
    reader.push(delta)
    // What is whole is told when it is known to be the answer.
    if (reader.isLost || !this.#isNews(reader.length)) return
    const waitMs = this.#toldMs + INTERVAL_MS - nowMs()
    if (waitMs <= 0) this.tellNow()
    else this.#timer ??= setTimeout(() => this.tellNow(), waitMs).unref()
  }

  #isNews(length: number): boolean {
    return length > this.#toldLength * (this.#toldLength > LONG ? 1 + GROWTH : 1)
  }

  /** Once the time is up: what is new. */
  tellNow(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const reader = this.#reader
    if (!reader || reader.isLost || !this.#isNews(reader.length)) return
    const { json, open } = reader.now
    if (json === undefined) return
    this.#toldLength = reader.length
    this.#isShown = true
    this.#tell(json, open)
  }

  #tell(json: string | undefined, open: readonly string[]): void {
    this.#toldMs = nowMs()
    this.#emit({ kind: 'partial', ...(json === undefined ? {} : { json }), open })
  }
}
