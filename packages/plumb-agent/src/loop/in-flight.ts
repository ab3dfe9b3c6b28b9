// Inputs that were started and not delivered yet: those that are being answered, and those whose outcome waits for its turn.

import { nowMs } from '@plumb/wire'
import type { InputOutcome } from '../conversation/conversation.js'
import { CANCELLED } from '../conversation/said.js'
import type { Input } from './pending-queue.js'
import type { Refusal } from './turns.js'

/** Maximum inputs without an outcome; above it no further one is started. */
const MAX_BYTES = 256 * 1024 * 1024
/** Maximum outcomes, and inputs, that wait for an earlier one; above it no further input is started. */
const MAX_WAITING = 1_000

export class InFlight {
  /**
   * In the order of arrival, with a gap where one was delivered. A Set would be shorter: but each table that it has outgrown keeps the next
   * one alive until a major collection, and with it all that was in flight then.
   */
  #inputs: (Input | undefined)[] = []
  /** Before it there are gaps only. */
  #first = 0
  #gaps = 0
  /** In the order of delivery; only where `isUnordered`. */
  readonly #settled: Input[] = []
  readonly #isUnordered: boolean
  /** Without an outcome. */
  #pending = 0
  #bytes = 0
  /** Inputs up to this number do not begin. */
  #cancelledTo = 0

  constructor(isUnordered: boolean) {
    this.#isUnordered = isUnordered
  }

  get #size(): number {
    return this.#inputs.length - this.#gaps
  }

  get isEmpty(): boolean {
    return this.#size === 0
  }

  /** Whether another one may begin. An outcome that waits for its turn does not count for `concurrency`. */
  hasPlace(concurrency: number): boolean {
    return this.#pending < concurrency
  }

  /** Whether another input may be started. */
  get hasRoom(): boolean {
    return this.#bytes < MAX_BYTES && this.#size - this.#pending < MAX_WAITING
  }

  /** One is being answered. */
  get isBusy(): boolean {
    return this.#pending > 0
  }

  /** It has its place among the others, and begins at once, or when its turn has come. */
  start(input: Input): void {
    input.startMs = nowMs()
    input.place = this.#inputs.push(input) - 1
    this.#bytes += input.bytes
  }

  begin(input: Input): void {
    input.startMs = nowMs()
    input.hasBegun = true
    this.#pending++
  }

  /** They have not begun, and never will. */
  drop(inputs: readonly Input[]): void {
    for (const input of inputs) {
      this.#bytes -= input.bytes
      this.#leave(input)
    }
  }

  settle(input: Input, outcome: InputOutcome): void {
    input.outcome = outcome
    input.endMs = nowMs()
    if (input.hasBegun) this.#pending--
    this.#bytes -= input.bytes
    if (this.#isUnordered) this.#settled.push(input)
  }

  /** The next to deliver. */
  takeSettled(): (Input & { readonly outcome: InputOutcome }) | undefined {
    const input = this.#isUnordered ? this.#settled.shift() : this.#inputs[this.#first]
    if (!input || !hasOutcome(input)) return undefined
    this.#leave(input)
    return input
  }

  #leave({ place = 0 }: Input): void {
    this.#inputs[place] = undefined
    this.#gaps++
    // Behind it may be gaps too: of inputs that were dropped.
    while (this.#first < this.#inputs.length && !this.#inputs[this.#first]) this.#first++
    // Of a hundred thousand, each would move all the others.
    if (this.#gaps < this.#inputs.length / 2) return
    const left = this.#inputs.filter((input) => input !== undefined)
    for (const [place, input] of left.entries()) input.place = place
    this.#inputs = left
    this.#first = this.#gaps = 0
  }

  /** A number: those up to it, also those that have not begun, or come only now. */
  cancel(inputs: 'begun' | number): void {
    const last = inputs === 'begun' ? Number.POSITIVE_INFINITY : inputs
    if (inputs !== 'begun') this.#cancelledTo = Math.max(this.#cancelledTo, inputs)
    for (const input of this.#inputs) if (input?.hasBegun && input.seq <= last) input.cancellation.cancel()
  }

  /** Why it does not begin. */
  refusalOf({ seq }: Input): Refusal | undefined {
    return seq <= this.#cancelledTo ? DROPPED : undefined
  }
}

const DROPPED: Refusal = { ok: false, error: CANCELLED }

const hasOutcome = (input: Input): input is Input & { readonly outcome: InputOutcome } => input.outcome !== undefined
