// Who runs when: sources are taken in turn, a line at a time; what a line sets off inside this process is done before the next.
// Runs in short slices, so that signals, children and timers are heard in between.

import { nowMs } from '@plumb/wire'

export interface Source {
  /** Nothing it feeds is full. */
  canRun(): boolean
  /** Takes a line and passes it on, or several that are quickly done, up to `most`. Gives how many; 0: there is none now. */
  step(most: number): number
}

const SLICE_MS = 20
/** Lines of one source before the next has its turn; the last of them may come with others. */
const TURN = 256
/** At most so many come at once. */
const RUN = 1024

export class Schedule {
  readonly #sources: Source[] = []
  readonly #cycles: Source[] = []
  #isRunning = false
  #isWaiting = false
  #isStopped = false
  /** Called whenever a slice ends with nothing more to do now. */
  onIdle: (() => void) | null = null

  addSource(source: Source): void {
    this.#sources.push(source)
  }

  /** A source that other sources fill while they run: it has a turn after each of their lines. */
  addCycle(cycle: Source): void {
    this.#cycles.push(cycle)
    this.#sources.push(cycle)
  }

  /** Something may be possible now that was not: a line came, a writer drained. */
  wake(): void {
    if (this.#isRunning || this.#isStopped) return
    this.#isRunning = true
    const isDone = this.#slice()
    this.#isRunning = false
    if (isDone) this.onIdle?.()
    else this.#later()
  }

  /** Nothing is taken or delivered any more. */
  stop(): void {
    this.#isStopped = true
  }

  #later(): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    setImmediate(() => {
      this.#isWaiting = false
      this.wake()
    })
  }

  /** False: the slice was up before the work was. */
  #slice(): boolean {
    const until = nowMs() + SLICE_MS
    for (let worked = true; worked; ) {
      worked = false
      for (const source of this.#sources) {
        if (!this.#turn(source)) continue
        worked = true
        if (nowMs() > until) return false
      }
    }
    return true
  }

  #turn(source: Source): boolean {
    const atOnce = this.#cycles.length > 0 ? 1 : RUN
    let taken = 0
    while (taken < TURN && !this.#isStopped && source.canRun()) {
      const lines = source.step(atOnce)
      if (lines === 0) break
      taken += lines
      for (const cycle of this.#cycles) this.#goRound(cycle)
    }
    return taken > 0
  }

  // No longer than a turn, for it may go round for ever.
  #goRound(cycle: Source): void {
    for (let n = 0; n < TURN && !this.#isStopped && cycle.canRun(); n++) cycle.step(1)
  }
}
