// Back-pressure: a source waits while something that it feeds is full, or while a cycle that it enters is busy.

import type { LineWriter } from '@plumb/wire'
import type { Cycle } from './cycle.js'

export class Gate {
  readonly #writers: LineWriter[] = []
  readonly #cycles: Cycle[] = []

  waitForWriter(writer: LineWriter): void {
    if (!this.#writers.includes(writer)) this.#writers.push(writer)
  }

  waitForCycle(cycle: Cycle): void {
    if (!this.#cycles.includes(cycle)) this.#cycles.push(cycle)
  }

  isOpen(): boolean {
    for (const writer of this.#writers) if (writer.isFull) return false
    for (const cycle of this.#cycles) if (cycle.isBusy) return false
    return true
  }
}
