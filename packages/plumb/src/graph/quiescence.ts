// When this process has nothing to do, and nothing is on its way to it: the time to judge whether a cycle is done.

/**
 * What a child wrote before it said that it had settled may still wait in another pipe. So every stream is heard once more, and only when none
 * of them had anything is it quiet.
 */
export class Quiescence {
  #quietTurns = 0
  #isWaiting = false

  constructor(private readonly judge: () => void) {}

  /** There was something to do, and now there is nothing. */
  idle(): void {
    this.#quietTurns = 0
    if (!this.#isWaiting) this.#wait()
  }

  // The event loop listens to all streams between one immediate and the next.
  #wait(): void {
    this.#isWaiting = true
    setImmediate(() => {
      this.#isWaiting = false
      if (++this.#quietTurns < 2) this.#wait()
      else this.judge()
    })
  }
}
