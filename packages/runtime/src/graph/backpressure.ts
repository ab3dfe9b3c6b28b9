// Back-pressure: a source waits while one of its receivers is full, or while a cycle that it enters is busy.

/** A receiver that may be full. */
export interface Buffering {
  readonly isFull: boolean
}

export class Backpressure {
  readonly #buffers: Buffering[] = []

  waitFor(buffer: Buffering): void {
    if (!this.#buffers.includes(buffer)) this.#buffers.push(buffer)
  }

  isOpen(): boolean {
    for (const buffer of this.#buffers) if (buffer.isFull) return false
    return true
  }
}
