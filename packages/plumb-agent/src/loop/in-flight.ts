// The inputs that have been taken and are not answered yet, and the answers that wait for their turn.

import { nowMs } from '@plumb/wire'
import type { Input, Outcome } from './pending-queue.js'

/** So many answers wait for an earlier one at most: beyond it, no further input is taken. */
const MAX_WAITING = 1_000

export class Flight {
  /** In the order in which they came. */
  readonly #inputs: Input[] = []
  /** In the order in which they are to leave, as far as that is known; `isUnordered` alone. */
  readonly #landed: Input[] = []
  readonly #isUnordered: boolean
  /** Not answered yet. */
  #asking = 0

  constructor(isUnordered: boolean) {
    this.#isUnordered = isUnordered
  }

  get isEmpty(): boolean {
    return this.#inputs.length === 0
  }

  /** Another input may be answered beside those, of `concurrency` at once: an answer that waits for its turn takes no place. */
  hasRoom(concurrency: number): boolean {
    return this.#asking < concurrency && this.#inputs.length - this.#asking < MAX_WAITING
  }

  take(input: Input): void {
    input.begunMs = nowMs()
    this.#inputs.push(input)
    this.#asking++
  }

  land(input: Input, outcome: Outcome): void {
    input.outcome = outcome
    input.doneMs = nowMs()
    this.#asking--
    if (this.#isUnordered) this.#landed.push(input)
  }

  /** The next that may leave, with its outcome. */
  leave(): (Input & { readonly outcome: Outcome }) | undefined {
    const input = this.#isUnordered ? this.#landed.shift() : this.#inputs[0]
    if (!input || !hasOutcome(input)) return undefined
    this.#inputs.splice(this.#inputs.indexOf(input), 1)
    return input
  }

  /** Drops the answers that are being made. */
  cancel(): void {
    for (const { cancellation } of this.#inputs) cancellation.cancel()
  }
}

const hasOutcome = (input: Input): input is Input & { readonly outcome: Outcome } => input.outcome !== undefined
