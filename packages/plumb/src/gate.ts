// Back-pressure: a source waits while something that it feeds is full, or while a cycle that it enters is busy.

/** Something that takes messages, and no more of them for now. */
export interface Basin {
  readonly isFull: boolean
}

export class Gate {
  readonly #basins: Basin[] = []

  waitFor(basin: Basin): void {
    if (!this.#basins.includes(basin)) this.#basins.push(basin)
  }

  isOpen(): boolean {
    for (const basin of this.#basins) if (basin.isFull) return false
    return true
  }
}
