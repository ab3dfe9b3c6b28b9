// Whether an answer is still wanted. Node loads what an AbortSignal is when the first is made, and most answers are wanted by all.

/** A signal for those who listen, made when they ask for it. */
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
