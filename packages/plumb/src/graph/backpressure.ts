// Back-pressure: a source waits while something that it feeds is full, or while a cycle that it enters is busy.

/** Something that takes messages, and no more of them for now. */
export interface Buffering {
  readonly isFull: boolean
}

export class Backpressure {
  readonly #basins: Buffering[] = []

  waitFor(basin: Buffering): void {
    if (!this.#basins.includes(basin)) this.#basins.push(basin)
  }

  isOpen(): boolean {
    for (const basin of this.#basins) if (basin.isFull) return false
    return true
  }
}
