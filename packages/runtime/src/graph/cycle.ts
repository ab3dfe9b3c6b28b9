// A cycle of processes: counts its messages in flight, and decides when it is done. Its inner wires keep each other open, so they are
// closed from here: once no input can come from outside and nothing is in flight inside.

import { fault } from '@plumb/wire'
import { Backpressure } from './backpressure.js'
import { type Channel, DirectChannel, type Receiver } from './channel.js'
import type { Holding } from './holding.js'
import type { Origin } from './origin.js'
import type { RunContext } from './run-context.js'
import type { ScheduledSource } from './schedule.js'
import type { Trampoline } from './trampoline.js'

/** A process that answers asynchronously: in another process of the system. */
export interface Worker {
  /** Messages sent to it that it has not settled, and outputs that it has announced and we have not read. */
  readonly inFlight: number
  /** The messages among them that it does not take before it is resumed. */
  readonly held: number
  /** The messages among them that wait in it for others. */
  readonly gathered: number
}

/** Collects messages until there are enough of them. Messages that wait in it are not in flight. */
export interface Gathering {
  /** Whether any message waits. */
  readonly isWaiting: boolean
  /** Sends what waits. False: nothing waits. */
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

/** New input waits while this many messages are in the cycle. */
const MAX_BUSY = 256
/** After so many deliveries the consumed part of the queue is freed. */
const COMPACT_AFTER = 4096

export interface CycleOptions {
  readonly names: readonly string[]
  readonly maxInFlight: number
}

export class Cycle implements ScheduledSource {
  readonly #workers: Worker[] = []
  readonly #batches: Gathering[] = []
  /** The receivers outside of it that its processes fill. */
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

  /** Pending deliveries. */
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

  /** Input from outside waits. */
  get isFull(): boolean {
    return this.inFlight >= this.#busy
  }

  /** `batches`: those inside it, if any. */
  add(worker: Worker, batches?: Gathering): void {
    this.#workers.push(worker)
    if (batches) this.#batches.push(batches)
  }

  addBatch(batch: Gathering): void {
    this.#batches.push(batch)
  }

  /** A channel between two of its processes; `controlled`: the process that it controls. */
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

  /** Queued for delivery: a nested call would never return. */
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

  /** Fails before memory is exhausted: a cycle that produces more than it consumes never ends. */
  checkLimit(): void {
    const { names, maxInFlight } = this.#o
    if (this.inFlight <= maxInFlight) return
    const cycle = [...names, names[0]].join(' -> ')
    this.context.fail(
      fault('overflow', `more than ${maxInFlight} messages in the cycle ${cycle}: it makes more than it consumes`, { cycle: names }),
    )
  }

  /** When nothing is left to do, batches are flushed; then the wires inside are closed, control first. True if it did either. */
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

  /** Resumes paused processes: no `resume` can come from inside. */
  closeControl(): void {
    for (const { channel, controlled } of this.#inner) if (controlled) channel.close()
  }

  // What is left waits for a `resume` that will not come. Resumed processes have not reported it yet.
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
