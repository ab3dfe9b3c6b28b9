// barrier: joins messages of all branches into tuples. Messages that stem from the same message where the branches split are joined, the
// k-th with the k-th. If they never split, all messages have the same origin. Messages that wait for partners are held here, up to a limit.

import { type GraphNode, type GraphPosition, put, Sink } from '@plumb/lang'
import { fault } from '@plumb/wire'
import type { Holding } from '../holding.js'
import { Origin, type OriginListener } from '../origin.js'
import type { RunContext } from '../run-context.js'
import { Morphism } from './morphism.js'
import { MARKS, reportUnpaired, sendTuple, seqsOf } from './tuple.js'

export interface BarrierOptions {
  readonly name: string
  /** Undefined: the branches never split. */
  readonly place: GraphPosition | undefined
  /** In the order of the program: the process that feeds each branch, and all nodes between the split and the barrier. */
  readonly branches: readonly { readonly name: string; readonly nodes: ReadonlySet<GraphNode> }[]
  /** Barriers before it. */
  readonly rank: number
  readonly maxWaiting: number
  /** What finds no partner is reported with its input, before that ends; else once, when all have ended. */
  readonly reportsEach: boolean
  /** Called with the origin of a message that is dropped without having been in a tuple. */
  readonly lost: (origin: Origin) => void
}

/** At most so many empty ones are kept. */
const MAX_SPARE = 1024

export class Barrier extends Morphism {
  readonly #o: BarrierOptions
  /** A buffer of its own, so that adjacent tuples leave in one piece. */
  readonly #sink = new Sink()
  /** Copies of waiting messages: the originals would keep their whole chunks in memory. */
  readonly #copies = new Sink()
  /** For branches that never split. */
  readonly #only: Waiting | undefined
  /** Recycled empty groups: one is needed for each message that splits. */
  readonly #spare: Waiting[] = []
  /** Waiting messages, by branch. */
  readonly #waiting: number[]
  /** Messages whose partner is missing for no known reason, by branch, and the inputs that they stem from. */
  readonly #left: number[]
  readonly #leftSeqs = new Set<number>()
  #hasFinished = false

  constructor(
    feeds: readonly number[],
    private readonly context: Pick<RunContext, 'current' | 'report' | 'maxLine' | 'fail'>,
    options: BarrierOptions,
  ) {
    super(feeds, 1)
    this.#o = options
    this.#only = options.place ? undefined : new Waiting(this, feeds.length)
    this.#waiting = feeds.map(() => 0)
    this.#left = feeds.map(() => 0)
  }

  receive(input: number, buf: Buffer, start: number, end: number): void {
    const { place } = this.#o
    const { origin } = this.context.current
    const key = place ? origin.passed(place) : undefined
    const waiting = place ? key && this.#waitingFor(key) : this.#only
    if (!waiting) return this.#leave(input, origin, 1)
    if (waiting.isComplete(input)) this.#join(waiting, key, input, buf, start, end)
    else this.#hold(waiting, input, buf, start, end)
  }

  get rank(): number {
    return this.#o.rank
  }

  override holding(name: string): Holding {
    return { of: 'barrier', name, waiting: [...this.#waiting] }
  }

  /** Nothing more can come that belongs to this group. */
  discard(waiting: Waiting, origin: Origin): void {
    const { branches, lost } = this.#o
    const { queues } = waiting
    if (!waiting.isEmpty) {
      const isKnown = branches.some(({ nodes }, i) => queues[i]?.length === 0 && origin.wasLostIn(nodes))
      for (const [input, queue] of queues.entries()) {
        const { length } = queue
        this.#waiting[input] = (this.#waiting[input] as number) - length
        if (!isKnown && length > 0) this.#leave(input, origin, length)
        queue.clear()
      }
      if (this.#o.reportsEach) this.#reportLeft('has')
      lost(origin)
      if (this.#hasFinished) this.#reportOnceEmpty()
    }
    if (this.#spare.length < MAX_SPARE) this.#spare.push(waiting)
  }

  protected override finish(): void {
    for (const [input, queue] of this.#only?.queues.entries() ?? []) {
      while (queue.length > 0) {
        const { origin } = queue.take()
        this.#waiting[input] = (this.#waiting[input] as number) - 1
        this.#leave(input, origin, 1)
        if (this.#o.reportsEach) this.#reportLeft('has')
        origin.release()
      }
    }
    this.#hasFinished = true
    this.#reportOnceEmpty()
    super.finish()
  }

  #leave(input: number, origin: Origin, messages: number): void {
    this.#left[input] = (this.#left[input] as number) + messages
    for (const seq of seqsOf(origin)) this.#leftSeqs.add(seq)
  }

  // An unpaired message may be reported before its origin ends, if other messages of the origin, as in a batch, are still in flight.
  #reportOnceEmpty(): void {
    if (this.#waiting.every((n) => n === 0)) this.#reportLeft('ended with')
  }

  #reportLeft(when: string): void {
    if (this.#left.every((n) => n === 0)) return
    const { name, branches } = this.#o
    reportUnpaired(
      name,
      when,
      { left: [...this.#left], branches: branches.map((branch) => branch.name), seqs: this.#leftSeqs },
      this.context,
    )
    this.#left.fill(0)
    this.#leftSeqs.clear()
  }

  #branch(input: number): string {
    return this.#o.branches[input]?.name || `branch ${input + 1}`
  }

  #waitingFor(key: Origin): Waiting {
    for (const one of key.listeners) if (one instanceof Waiting && one.barrier === this) return one
    const waiting = this.#spare.pop() ?? new Waiting(this, this.#waiting.length)
    key.addListener(waiting)
    return waiting
  }

  #hold(waiting: Waiting, input: number, buf: Buffer, start: number, end: number): void {
    const { name, maxWaiting, place } = this.#o
    const { fail, current } = this.context
    const copies = this.#copies
    copies.commit(put(copies, copies.at, buf, start, end))
    waiting.queues[input]?.add(copies.buf, copies.start, copies.end, current.origin)
    // A message that waits for any message of another branch may still get one; one that waits for its own origin lasts no longer than
    // that.
    if (!place) current.origin.retain()
    const length = (this.#waiting[input] as number) + 1
    this.#waiting[input] = length
    if (length <= maxWaiting) return
    const detail = `more than ${maxWaiting} messages of branch '${this.#branch(input)}' wait in '${name}' for the other branches`
    fail(fault('overflow', detail, { process: name }))
  }

  // The last message has not waited.
  #join(waiting: Waiting, key: Origin | undefined, own: number, buf: Buffer, start: number, end: number): void {
    const { name, lost } = this.#o
    const { current } = this.context
    const sink = this.#sink
    // If there is a key, it is the origin.
    const origins = key ? [] : [current.origin]
    const isTooLarge = bytesWith(waiting, end - start) > this.context.maxLine
    let p = sink.at
    for (let i = 0; i < waiting.queues.length; i++) {
      if (!isTooLarge) p = put(sink, p, MARKS, i === 0 ? 0 : 1, i === 0 ? 1 : 2)
      if (i === own) {
        if (!isTooLarge) p = put(sink, p, buf, start, end)
        continue
      }
      const held = (waiting.queues[i] as Queue).take()
      this.#waiting[i] = (this.#waiting[i] as number) - 1
      if (!key) origins.push(held.origin)
      if (!isTooLarge) p = put(sink, p, held.buf, held.start, held.end)
    }
    if (!isTooLarge) sink.commit(put(sink, p, MARKS, 2, 3))
    const origin = key ?? Origin.ofAll(origins)
    const before = current.enter(origin)
    if (!sendTuple(sink, isTooLarge, this.outlets[0], name, this.context)) lost(origin)
    current.leave(before)
    if (key) return
    origin.release()
    for (const part of origins.slice(1)) part.release()
  }
}

/** The tuple of the longest waiting message of each branch, and the last one that came. */
const bytesWith = ({ queues }: Waiting, own: number): number => {
  let bytes = own + queues.length + 1
  for (const queue of queues) bytes += queue.firstBytes
  return bytes
}

interface Message {
  readonly buf: Buffer
  readonly start: number
  readonly end: number
  readonly origin: Origin
  next: Message | undefined
}

/** The messages of one origin that wait in a barrier, by branch. */
class Waiting implements OriginListener {
  readonly queues: readonly Queue[]

  constructor(
    readonly barrier: Barrier,
    branches: number,
  ) {
    this.queues = Array.from({ length: branches }, () => new Queue())
  }

  get rank(): number {
    return this.barrier.rank
  }

  get isEmpty(): boolean {
    for (const { length } of this.queues) if (length > 0) return false
    return true
  }

  originEnded(origin: Origin): void {
    this.barrier.discard(this, origin)
  }

  /** Whether a message on this branch completes the tuple. */
  isComplete(own: number): boolean {
    for (let i = 0; i < this.queues.length; i++) if ((this.queues[i]?.length === 0) !== (i === own)) return false
    return true
  }
}

/** First in, first out. */
class Queue {
  length = 0
  #first: Message | undefined
  #last: Message | undefined

  /** The size of the oldest; 0 if there is none. */
  get firstBytes(): number {
    return this.#first ? this.#first.end - this.#first.start : 0
  }

  add(buf: Buffer, start: number, end: number, origin: Origin): void {
    const message: Message = { buf, start, end, origin, next: undefined }
    if (this.#last) this.#last.next = message
    else this.#first = message
    this.#last = message
    this.length++
  }

  /** The oldest, which must exist. */
  take(): Message {
    const message = this.#first as Message
    this.#first = message.next
    if (--this.length === 0) this.#last = undefined
    return message
  }

  clear(): void {
    this.length = 0
    this.#first = this.#last = undefined
  }
}
