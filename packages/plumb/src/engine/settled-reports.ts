// What the process of a part reports as settled, on a descriptor of its own, until the outputs and errors that it counts have come on
// theirs: pipes are not read in the order in which they were written.

import type { Settled } from '@plumb/wire'

export class SettledReports {
  #reports: Settled[] = []
  /** What has come so far. */
  #outputs = 0
  #errors = 0

  report(settled: Settled): void {
    this.#reports.push(settled)
  }

  receiveOutput(): void {
    this.#outputs++
  }

  receiveError(): void {
    this.#errors++
  }

  /** The number of first messages that are done with, of which everything has come. Undefined: no more than before. */
  take(): number | undefined {
    const ready = this.#reports.filter(({ outputs, errors = 0 }) => outputs <= this.#outputs && errors <= this.#errors).at(-1)
    if (!ready) return undefined
    this.#reports = this.#reports.filter(({ inputs }) => inputs > ready.inputs)
    return ready.inputs
  }
}
