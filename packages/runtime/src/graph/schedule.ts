// Schedules sources in turn, a line at a time; all effects of a line inside this process, cycles included, are done before the next line of
// the input. Runs in short slices, so that signals, children and timers are handled in between; the end of a slice never changes the order
// of messages.

import { nowMs } from '@plumb/wire'

export interface ScheduledSource {
  /** Paused while messages are in a cycle of this process. */
  readonly waitsForCycles?: boolean
  /** None of its receivers is full. */
  canRun(): boolean
  /** Takes a line and passes it on, or several fast ones, up to `most`. Returns how many; 0: there is none now. */
  step(most: number): number
}

const SLICE_MS = 20
/** Lines of one source before the next has its turn; the last of them may come in a batch. */
const TURN = 256
/** The maximum of one batch. */
const RUN = 1024

export class Schedule {
  readonly #sources: ScheduledSource[] = []
  /** Downstream sources come first, so that the output of a cycle is processed before its remaining messages. */
  readonly #cycles: ScheduledSource[] = []
  #isRunning = false
  #isWaiting = false
  #isStopped = false

  /** Called at the end of each slice: `onIdle` if nothing is left to do now, else `onBusy`. */
  constructor(
    private readonly onIdle: () => void,
    private readonly onBusy: () => void,
  ) {}

  addSource(source: ScheduledSource): void {
    this.#sources.push(source)
  }

  /** The effects of a line continue in it. Add a cycle before those that lead into it. */
  addCycle(cycle: ScheduledSource): void {
    this.#cycles.push(cycle)
  }

  /** There may be new work: a line came, a writer drained. */
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

  /** False: the slice ended before the work. */
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
      // The end of an input may have sent messages into a cycle, without a line.
      worked ||= this.#cycles.some((cycle) => cycle.canRun())
    }
    return true
  }

  // A cycle may run for ever: so other processes are read in between, and the input waits.
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

  /** At most one turn. */
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
