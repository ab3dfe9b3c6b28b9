// Back-pressure: a source waits while something that it feeds is full, or while a cycle that it enters is busy.

/** Something that takes messages, and no more of them for now. */
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
