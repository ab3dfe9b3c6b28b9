// So many at once; who comes later waits, first come first served.

export class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []
  readonly #whenFree: (() => void)[] = []

  constructor(private readonly count: number) {
    this.#free = count
  }

  /** Undefined: it was had at once. */
  take(): Promise<void> | undefined {
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve))
    this.#free--
    return undefined
  }

  give(): void {
    const next = this.#waiting.shift()
    if (next) return next()
    this.#free++
    if (this.#free < this.count) return
    for (const resolve of this.#whenFree.splice(0)) resolve()
  }

  /** Resolves once nobody has one. */
  async allFree(): Promise<void> {
    if (this.#free < this.count) await new Promise<void>((resolve) => this.#whenFree.push(resolve))
  }
}
