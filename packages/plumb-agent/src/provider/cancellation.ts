// Whether an answer is still wanted. Node loads what an AbortSignal is when the first is made, and one costs a message more than most of what
// is done for it; most answers are wanted by all.

/** For those who ask, or listen. */
export interface Cancelled {
  readonly isCancelled: boolean
  /** Made when it is asked for. */
  readonly signal: AbortSignal
  /** Until what it returns is called. */
  listen(listener: () => void): () => void
}

export class Cancellation implements Cancelled {
  isCancelled = false
  #controller: AbortController | undefined
  #listeners: readonly (() => void)[] = []

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.isCancelled) this.#controller.abort()
    }
    return this.#controller.signal
  }

  listen(listener: () => void): () => void {
    this.#listeners = [...this.#listeners, listener]
    return () => {
      this.#listeners = this.#listeners.filter((one) => one !== listener)
    }
  }

  cancel(): void {
    if (this.isCancelled) return
    this.isCancelled = true
    this.#controller?.abort()
    for (const listener of this.#listeners) listener()
  }
}

/** Of a signal that is there already. */
export const cancelledBy = (signal: AbortSignal): Cancelled => ({
  get isCancelled() {
    return signal.aborted
  },
  signal,
  listen: (listener) => {
    signal.addEventListener('abort', listener)
    return () => signal.removeEventListener('abort', listener)
  },
})
