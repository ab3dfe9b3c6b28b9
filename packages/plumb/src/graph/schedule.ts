// Which source runs when: sources are taken in turn, a line at a time; what a line sets off inside this process, round its cycles too, is
// done before the next line of the input. Runs in short slices, so that signals, children and timers are handled in between: where a slice
// ends changes nothing in the order of messages.

import { nowMs } from '@plumb/wire'

export interface ScheduledSource {
  /** It has no turn as long as something goes round in a cycle of this process. */
  readonly waitsForCycles?: boolean
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
  readonly #sources: ScheduledSource[] = []
  /** Those that others lead into come first, so that what leaves a cycle is taken to its end before what stays in it. */
  readonly #cycles: ScheduledSource[] = []
  #isRunning = false
  #isWaiting = false
  #isStopped = false

  /** Whenever a slice ends: `onIdle` with nothing more to do now, else `onBusy`. */
  constructor(
    private readonly onIdle: () => void,
    private readonly onBusy: () => void,
  ) {}

  addSource(source: ScheduledSource): void {
    this.#sources.push(source)
  }

  /** What a line sets off goes on in it. Call it for a cycle before those that lead into it. */
  addCycle(cycle: ScheduledSource): void {
    this.#cycles.push(cycle)
  }

  /** Something may be possible now that was not: a line came, a writer drained. */
  wake(): void {
    if (this.#isRunning || this.#isStopped) return
    this.#isRunning = true
    const isDone = this.#slice()
    this.#isRunning = false
    if (isDone) return this.onIdle()
    this.onBusy()
    this.#later()
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
      worked = this.#goRound()
      if (nowMs() > until) return false
      for (const source of this.#sources) {
        if (!this.#turn(source, until)) continue
        worked = true
        if (nowMs() > until) return false
      }
      // The end of an input may have sent something round, without a line.
      worked ||= this.#cycles.some((cycle) => cycle.canRun())
    }
    return true
  }

  // A cycle may go round for ever: then other processes are read in between, and the input waits.
  #turn(source: ScheduledSource, until: number): boolean {
    const hasCycles = this.#cycles.length > 0
    let taken = 0
    while (taken < TURN && !this.#isStopped && source.canRun()) {
      if (hasCycles && source.waitsForCycles && this.#cycles.some((cycle) => cycle.canRun())) break
      const lines = source.step(hasCycles ? 1 : RUN)
      if (lines === 0) break
      taken += lines
      if (nowMs() > until) break
      if (hasCycles) this.#goRound()
    }
    return taken > 0
  }

  /** For no longer than a turn. */
  #goRound(): boolean {
    let steps = 0
    for (; steps < TURN && !this.#isStopped; steps++) {
      const cycle = this.#cycles.find((one) => one.canRun())
      if (!cycle) break
      cycle.step(1)
    }
    return steps > 0
  }
}

/**
 * When this process has nothing to do, and nothing is on its way to it: the time to see whether a cycle is done. What a child wrote before
 * it said that it had settled may still wait in another pipe. So every stream is heard once more, and only when none of them had anything
 * is it quiet.
 */
export class Quiescence {
  #quietTurns = 0
  #isWaiting = false
  #isIdle = false

  constructor(private readonly judge: () => void) {}

  /** There is more to do than a slice of time had room for: nothing is judged before it is done. */
  busy(): void {
    this.#isIdle = false
  }

  /** There was something to do, and now there is nothing. */
  idle(): void {
    this.#isIdle = true
    this.#quietTurns = 0
    if (!this.#isWaiting) this.#wait()
  }

  // The event loop listens to all streams between one immediate and the next.
  #wait(): void {
    this.#isWaiting = true
    setImmediate(() => {
      this.#isWaiting = false
      if (!this.#isIdle) return
      if (++this.#quietTurns < 2) this.#wait()
      else this.judge()
    })
  }
}
