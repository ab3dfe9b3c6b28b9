// What one part has done in this worker: its counts, its spending, and whether it moves.

import { toDollars } from '@plumb/wire'
import type { Settlement } from './engine.js'
import { type AgentSpending, addSpent, NOTHING, totalsOf } from './spent.js'

export class PartProgress {
  #steps = 0
  #seen = -1
  /** Spending that is not yet settled. */
  #unsettled: AgentSpending = NOTHING
  #counts = { done: 0, dropped: 0, failed: 0, spent: NOTHING }

  /** Messages were taken, or finished. */
  note(): void {
    this.#steps++
  }

  /** Nothing has happened since the last call. */
  isStill(): boolean {
    const isStill = this.#steps === this.#seen
    this.#seen = this.#steps
    return isStill
  }

  spend(more: AgentSpending): void {
    if (more !== NOTHING) this.#unsettled = addSpent(this.#unsettled, more)
  }

  get hasUnsettled(): boolean {
    return this.#unsettled !== NOTHING
  }

  /** For a settlement; one that fails gives it back to `spend`. */
  takeSpent(): AgentSpending {
    const spent = this.#unsettled
    this.#unsettled = NOTHING
    return spent
  }

  count(tally: Settlement['tally']): void {
    const { done, dropped, failed, spent } = this.#counts
    const more = { done: done + tally.taken, dropped: dropped + tally.dropped, failed: failed + tally.failed }
    this.#counts = { ...more, spent: addSpent(spent, tally) }
  }

  /** For a person, or a program that watches workers. */
  get status() {
    const { spent, ...counts } = this.#counts
    const { calls, tokens, cost } = totalsOf(spent)
    return { ...counts, calls, tokens, cost: toDollars(cost) }
  }
}
