// A cycle of processes: what goes round in it, and when it is done. Its inner wires keep each other open, so they are closed from here:
// once nothing more can come in from outside and nothing is in flight inside.

import { fault } from '@plumb/wire'
import { Backpressure } from './backpressure.js'
import { type Channel, DirectChannel, type Receiver } from './channel.js'
import type { Holding } from './holding.js'
import type { Origin } from './origin.js'
import type { RunContext } from './run-context.js'
import type { ScheduledSource } from './schedule.js'
import type { Trampoline } from './trampoline.js'

/** A process that answers in its own time: one in another process. */
export interface Worker {
  /** Messages it was sent and has not settled, and outputs it has announced and we have not read. */
  readonly inFlight: number
  /** Of those, the messages that it does not take before it is resumed. */
  readonly held: number
  /** Of those, the messages that wait in it for others. */
  readonly gathered: number
}

/** Holds messages back until there are enough of them. What waits in it is not in flight. */
export interface Gathering {
  /** Something does. */
  readonly isWaiting: boolean
  /** Sends what waits on its way; false: there is nothing. */
  letGo(): boolean
}

interface Delivery {
  readonly origin: Origin
  readonly to: Receiver
  readonly input: number
  readonly buf: Buffer
  readonly start: number
  readonly end: number
}

/** New input waits while so much of the old goes round. */
const MAX_BUSY = 256
/** So many deliveries are made before their places in the queue are given back. */
const COMPACT_AFTER = 4096

export interface CycleOptions {
  readonly names: readonly string[]
  readonly maxInFlight: number
}

export class Cycle implements ScheduledSource {
  readonly #workers: Worker[] = []
  readonly #batches: Gathering[] = []
  /** What the processes of this cycle fill outside of it. */
  readonly backpressure = new Backpressure()
  readonly #o: CycleOptions
  readonly #busy: number
  #queue: Delivery[] = []
  #head = 0
  #outside = 0
  #isClosed = false
  readonly #woken = new Set<Worker>()
  readonly #inner: { channel: Channel; controlled: Worker | undefined }[] = []

  constructor(
    private readonly context: Pick<RunContext, 'current' | 'fail'>,
    options: CycleOptions,
  ) {
    this.#o = options
    this.#busy = Math.min(MAX_BUSY, Math.ceil(options.maxInFlight / 2))
  }

  get inFlight(): number {
    let sum = this.waiting
    for (const worker of this.#workers) sum += worker.inFlight
    return sum
  }

  /** Deliveries that are to be made. */
  get waiting(): number {
    return this.#queue.length - this.#head
  }

  holding(): Holding {
    const { names } = this.#o
    const { waiting } = this
    return {
      of: 'cycle',
      name: names.join(' -> '),
      in_flight: this.inFlight,
      waiting,
      is_waiting: !this.backpressure.isOpen(),
      is_closed: this.#isClosed,
    }
  }

  /** Outside input waits. */
  get isFull(): boolean {
    return this.inFlight >= this.#busy
  }

  /** `batches`: those in it, where it has any. */
  add(worker: Worker, batches?: Gathering): void {
    this.#workers.push(worker)
    if (batches) this.#batches.push(batches)
  }

  addBatch(batch: Gathering): void {
    this.#batches.push(batch)
  }

  /** A channel between two of its processes; `controlled`: the one that it brings control to. */
  inside(channel: Channel, controlled: Worker | undefined): Channel {
    this.#inner.push({ channel, controlled })
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

  /** To be delivered in its turn: a call inside a call would never return. */
  enqueue(to: Receiver, input: number, buf: Buffer, start: number, end: number): void {
    const { origin } = this.context.current
    origin.retain()
    this.#queue.push({ to, input, buf, start, end, origin })
    this.checkLimit()
  }

  canRun(): boolean {
    return this.waiting > 0 && this.backpressure.isOpen()
  }

  step(): number {
    const delivery = this.#queue[this.#head++] as Delivery
    if (this.#head === this.#queue.length) {
      this.#queue = []
      this.#head = 0
    } else if (this.#head > COMPACT_AFTER) {
      this.#queue.splice(0, this.#head)
      this.#head = 0
    }
    const { to, input, buf, start, end, origin } = delivery
    const { current } = this.context
    const before = current.enter(origin)
    to.receive(input, buf, start, end)
    current.leave(before)
    origin.release()
    return 1
  }

  /** Fails before the memory is exhausted: a cycle that makes more than it consumes never ends. */
  checkLimit(): void {
    const { names, maxInFlight } = this.#o
    if (this.inFlight <= maxInFlight) return
    const cycle = [...names, names[0]].join(' -> ')
    this.context.fail(
      fault('overflow', `more than ${maxInFlight} messages in the cycle ${cycle}: it makes more than it consumes`, { cycle: names }),
    )
  }

  /** When nothing is left to do, what waits in a batch goes on; then the wires inside are closed, control first. True if it did either. */
  closeIfQuiet(): boolean {
    if (this.#isClosed || this.#outside > 0) return false
    const moving = this.inFlight - gatheredIn(this.#workers)
    if (moving > 0) return this.#wakeHeld(moving)
    // The first may fill the next.
    if (this.#batches.some((batch) => batch.letGo())) return true
    this.#isClosed = true
    this.closeControl()
    for (const { channel } of this.#inner) channel.close()
    return true
  }

  /** Processes that are paused go on: no `resume` can come from inside. */
  closeControl(): void {
    for (const { channel, controlled } of this.#inner) if (controlled) channel.close()
  }

  // What is left waits for a `resume` that will not come. Those that were woken have not reported it yet.
  #wakeHeld(moving: number): boolean {
    const holding = this.#workers.filter((worker) => worker.held > 0 && !this.#woken.has(worker))
    if (holding.length === 0 || moving > holding.reduce((sum, { held }) => sum + held, 0)) return false
    for (const worker of holding) this.#woken.add(worker)
    for (const { channel, controlled } of this.#inner) if (controlled && holding.includes(controlled)) channel.close()
    return true
  }
}

export const gatheredIn = (workers: readonly Worker[]): number => workers.reduce((sum, { gathered }) => sum + gathered, 0)

/** A wire inside a cycle whose receiver is in this process. */
export class QueuedChannel extends DirectChannel {
  readonly #enqueue: (buf: Buffer, start: number, end: number) => void

  constructor(to: Receiver, input: number, trampoline: Trampoline | undefined, cycle: Cycle) {
    super(to, input, trampoline)
    this.#enqueue = (buf, start, end) => cycle.enqueue(to, input, buf, start, end)
  }

  override targets(): readonly Channel[] {
    return [this]
  }

  override send(buf: Buffer, start: number, end: number): void {
    if (!this.isClosed) this.#enqueue(buf, start, end)
  }
}
