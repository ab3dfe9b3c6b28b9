// Whether an answer was cancelled. The AbortSignal is created on demand: Node loads its code at the first one, and most answers are never
// cancelled.

/** A signal for listeners, created on demand. */
export interface HasSignal {
  readonly signal: AbortSignal
}

export class Cancellation implements HasSignal {
  isCancelled = false
  #controller: AbortController | undefined

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.isCancelled) this.#controller.abort()
    }
    return this.#controller.signal
  }

  cancel(): void {
    this.isCancelled = true
    this.#controller?.abort()
  }
}
