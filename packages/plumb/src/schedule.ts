// Who runs when: sources are taken in turn, a line at a time; what a line sets off inside this process is done before the next.
// Runs in short slices, so that signals, children and timers are heard in between.

import { nowMs } from '@plumb/wire'
import type { Receiver } from './channel.js'

export interface Source {
  /** Nothing it feeds is full. */
  canRun(): boolean
  /** Takes one line and passes it on; false: there is none now. */
  step(): boolean
}

const SLICE_MS = 20
/** Lines of one source before the next has its turn. */
const TURN = 256

interface Delivery {
  readonly to: Receiver
  readonly input: number
  readonly buf: Buffer
  readonly start: number
  readonly end: number
  readonly done: () => void
}

export class Schedule {
  readonly #sources: Source[] = []
  #queue: Delivery[] = []
  #head = 0
  #isRunning = false
  #isWaiting = false
  #isStopped = false
  /** Called whenever a slice ends with nothing more to do now. */
  onIdle: (() => void) | null = null

  addSource(source: Source): void {
    this.#sources.push(source)
  }

  /** To be delivered before any source is asked again. Messages inside a cycle go this way: a call inside a call would never return. */
  enqueue(delivery: Delivery): void {
    this.#queue.push(delivery)
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
    this.#queue = []
    this.#head = 0
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
    if (!this.#deliver(until)) return false
    for (let worked = true; worked; ) {
      worked = false
      for (const source of this.#sources) {
        let taken = 0
        while (taken < TURN && source.canRun() && source.step()) {
          taken++
          if (this.#queue.length > 0 && !this.#deliver(until)) return false
          if (this.#isStopped) return true
        }
        if (taken > 0) worked = true
        if (taken > 0 && nowMs() > until) return false
      }
    }
    return true
  }

  #deliver(until: number): boolean {
    for (let n = 1; this.#head < this.#queue.length; n++) {
      const { to, input, buf, start, end, done } = this.#queue[this.#head++] as Delivery
      if (this.#head === this.#queue.length) {
        this.#queue = []
        this.#head = 0
      } else if (this.#head > 4096) {
        this.#queue.splice(0, this.#head)
        this.#head = 0
      }
      done()
      to.receive(input, buf, start, end)
      if (n % 256 === 0 && nowMs() > until) return this.#head === this.#queue.length
    }
    return true
  }
}
