// Processes hand messages on by calling each other. A long chain of them would exhaust the stack, so past some depth a call waits until the
// outermost one has returned; from then on all wait behind it, so that no message overtakes another.

const DEEPEST = 100

export class Relay {
  #depth = 0
  #waiting: (() => void)[] = []

  /** The next call has to wait. */
  get isDeep(): boolean {
    return this.#depth >= DEEPEST || this.#waiting.length > 0
  }

  wait(call: () => void): void {
    this.#waiting.push(call)
  }

  enter(): void {
    this.#depth++
  }

  leave(): void {
    if (--this.#depth === 0 && this.#waiting.length > 0) this.#drain()
  }

  #drain(): void {
    while (this.#waiting.length > 0) {
      const calls = this.#waiting
      this.#waiting = []
      for (const call of calls) {
        // Kept up, so that what one of them sends waits behind the rest.
        this.#depth = this.#waiting.length > 0 || call !== calls.at(-1) ? DEEPEST : 1
        call()
      }
      this.#depth = 0
    }
  }
}
