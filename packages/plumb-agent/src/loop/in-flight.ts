// Inputs that were started and not delivered yet: those that are being answered, and those whose outcome waits for its turn.

import { nowMs } from '@plumb/wire'
import type { Input, InputOutcome } from './pending-queue.js'

/** Maximum inputs without an outcome; above it no further one is started. */
const MAX_BYTES = 256 * 1024 * 1024
/** Maximum outcomes that wait for an earlier one; above it no further input is started. */
const MAX_WAITING = 1_000

export class InFlight {
  readonly #inputs = new Set<Input>()
  /** In the order of arrival, from `#first` on; only if outcomes keep it. */
  #arrived: Input[] = []
  #first = 0
  /** In the order of delivery; only if `isUnordered`. */
  readonly #settled: Input[] = []
  readonly #isUnordered: boolean
  /** Without an outcome. */
  #pending = 0
  #bytes = 0

  constructor(isUnordered: boolean) {
    this.#isUnordered = isUnordered
  }

  get isEmpty(): boolean {
    return this.#inputs.size === 0
  }

  /** Whether another input may be started. An outcome that waits for its turn does not count for `concurrency`. */
  hasRoom(concurrency: number): boolean {
    return this.#pending < concurrency && this.#bytes < MAX_BYTES && this.#inputs.size - this.#pending < MAX_WAITING
  }

  start(input: Input): void {
    input.startMs = nowMs()
    this.#inputs.add(input)
    if (!this.#isUnordered) this.#arrived.push(input)
    this.#pending++
    this.#bytes += input.bytes
  }

  settle(input: Input, outcome: InputOutcome): void {
    input.outcome = outcome
    input.endMs = nowMs()
    this.#pending--
    this.#bytes -= input.bytes
    if (this.#isUnordered) this.#settled.push(input)
  }

  /** The next to deliver. */
  takeSettled(): (Input & { readonly outcome: InputOutcome }) | undefined {
    const input = this.#isUnordered ? this.#settled.shift() : this.#arrived[this.#first]
    if (!input || !hasOutcome(input)) return undefined
    this.#inputs.delete(input)
    if (!this.#isUnordered) this.#leave()
    return input
  }

  // Removing the first of a hundred thousand would move all the others.
  #leave(): void {
    this.#first++
    if (this.#first < this.#arrived.length / 2) return
    this.#arrived = this.#arrived.slice(this.#first)
    this.#first = 0
  }

  cancel(): void {
    for (const { cancellation } of this.#inputs) cancellation.cancel()
  }
}

const hasOutcome = (input: Input): input is Input & { readonly outcome: InputOutcome } => input.outcome !== undefined
