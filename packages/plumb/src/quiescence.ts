// When a cycle is done. Its inner wires keep each other open, so they are closed from here: once nothing more can come in from outside
// and nothing is in flight inside.

import { type Fault, fault } from '@plumb/wire'
import type { Channel, Receiver } from './channel.js'
import type { Schedule } from './schedule.js'

/** A process that answers in its own time: one in another process. */
export interface Worker {
  /** Messages it was sent and has not settled, and outputs it has announced and we have not read. */
  readonly inFlight: number
}

export class Cycle {
  readonly workers: Worker[] = []
  /** Messages between processes of this one. */
  #pending = 0
  #outside = 0
  #isClosed = false
  readonly #inner: { channel: Channel; isControl: boolean }[] = []

  constructor(
    readonly names: readonly string[],
    private readonly maxInFlight: number,
    private readonly fail: (fault: Fault) => void,
  ) {}

  get inFlight(): number {
    return this.workers.reduce((sum, worker) => sum + worker.inFlight, this.#pending)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** A channel between two of its processes; `to` is asked later where it is in this process, for a call inside a call would never return. */
  inside(channel: Channel, isControl: boolean): Channel {
    this.#inner.push({ channel, isControl })
    return channel
  }

  /** A channel from outside into it. */
  entrance(channel: Channel): Channel {
    this.#outside++
    let isClosed = false
    return {
      send: (buf, start, end) => channel.send(buf, start, end),
      close: () => {
        if (isClosed) return
        isClosed = true
        this.#outside--
        channel.close()
      },
    }
  }

  entered(): void {
    this.#pending++
    this.checkLimit()
  }

  delivered(): void {
    this.#pending--
  }

  /** Told before it can exhaust the memory: a cycle that makes more than it consumes never ends. */
  checkLimit(): void {
    if (this.inFlight <= this.maxInFlight) return
    const cycle = [...this.names, this.names[0]].join(' -> ')
    this.fail(fault('overflow', `more than ${this.maxInFlight} messages in the cycle ${cycle}: it makes more than it consumes`, { cycle: this.names }))
  }

  /** Closes the wires inside, control first, if nothing is left to do. */
  closeIfQuiet(): void {
    if (this.#isClosed || this.#outside > 0 || this.inFlight > 0) return
    this.#isClosed = true
    for (const { channel } of this.#inner.filter((c) => c.isControl)) channel.close()
    for (const { channel } of this.#inner) channel.close()
  }
}

/** A wire inside a cycle whose receiver is in this process. */
export class QueuedChannel implements Channel {
  #isClosed = false
  readonly #done = () => this.cycle.delivered()

  constructor(
    private readonly to: Receiver,
    private readonly input: number,
    private readonly cycle: Cycle,
    private readonly schedule: Schedule,
  ) {}

  send(buf: Buffer, start: number, end: number): void {
    if (this.#isClosed) return
    this.cycle.entered()
    this.schedule.enqueue({ to: this.to, input: this.input, buf, start, end, done: this.#done })
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.to.closeInput(this.input)
  }
}

/**
 * Judges what is quiet when this process has nothing to do. What a child wrote before it said that it had settled may still wait in another pipe:
 * every stream that has something is heard once more before judgement.
 */
export class Quiescence {
  #isJudging = false

  constructor(private readonly judge: () => void) {}

  idle(): void {
    if (this.#isJudging) return
    this.#isJudging = true
    setImmediate(() =>
      setImmediate(() => {
        this.#isJudging = false
        this.judge()
      }),
    )
  }
}
