// Processes hand messages on by calling each other. A long chain of them would exhaust the stack, so past some depth a call waits until the
// outermost one has returned; from then on all wait behind it, so that no message overtakes another.

/** So many calls may be inside each other. */
export const DEEPEST = 100

export class Relay {
  #depth = 0
  #waiting: (() => void)[] = []
  #head = 0

  /** The next call has to wait. */
  get isDeep(): boolean {
    return this.#depth >= DEEPEST || this.#head < this.#waiting.length
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
    while (this.#head < this.#waiting.length) {
      const call = this.#waiting[this.#head++] as () => void
      this.#depth = 1
      call()
    }
    this.#waiting = []
    this.#head = 0
    this.#depth = 0
  }
}
