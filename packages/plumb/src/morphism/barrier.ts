// barrier: the k-th messages of all branches leave together as one tuple. What waits for its partners is held here, to a limit.

import { isTooDeep, put, Sink } from '@plumb/lang'
import { type Fault, fault } from '@plumb/wire'
import { Morphism } from './morphism.js'

export interface BarrierOptions {
  readonly name: string
  /** Branches as the program orders them, by the processes that feed them. */
  readonly branches: readonly string[]
  readonly maxWaiting: number
  readonly report: (fault: Fault) => void
  /** Past the limit the run cannot go on. */
  readonly fail: (fault: Fault) => void
}

const MARKS = Buffer.from('[,]')

export class Barrier extends Morphism {
  readonly #options: BarrierOptions
  readonly #queues: readonly Queue[]
  /** Of its own, so that the tuples are neighbours and leave in one piece. */
  readonly #sink = new Sink()

  constructor(feeds: readonly number[], options: BarrierOptions) {
    super(feeds, 1)
    this.#options = options
    this.#queues = feeds.map(() => new Queue())
  }

  receive(input: number, buf: Buffer, start: number, end: number): void {
    const queue = this.#queues[input] as Queue
    if (this.#isComplete(queue)) return this.#join(queue, buf, start, end)
    queue.add(buf, start, end)
    const { name, maxWaiting, fail } = this.#options
    if (queue.length <= maxWaiting) return
    const detail = `more than ${maxWaiting} messages of branch '${this.#branch(input)}' wait in '${name}' for the other branches`
    fail(fault('overflow', detail, { process: name }))
  }

  protected override finish(): void {
    const left = this.#queues.map(({ length }) => length)
    if (left.some((n) => n > 0)) {
      const shown = left.flatMap((n, i) => (n > 0 ? [`${n} of '${this.#branch(i)}'`] : [])).join(', ')
      this.#options.report(
        fault('unpaired', `'${this.#options.name}' ended with messages that found no partner: ${shown}`, {
          process: this.#options.name,
          left,
        }),
      )
    }
    super.finish()
  }

  #branch(input: number): string {
    return this.#options.branches[input] ?? `branch ${input + 1}`
  }

  /** Is what comes the last that was missing? */
  #isComplete(own: Queue): boolean {
    for (const queue of this.#queues) if ((queue.length === 0) !== (queue === own)) return false
    return true
  }

  // What came last has not waited.
  #join(own: Queue, buf: Buffer, start: number, end: number): void {
    const { name, report } = this.#options
    const sink = this.#sink
    let p = sink.at
    for (let i = 0; i < this.#queues.length; i++) {
      const queue = this.#queues[i] as Queue
      p = put(sink, p, MARKS, i === 0 ? 0 : 1, i === 0 ? 1 : 2)
      p = queue === own ? put(sink, p, buf, start, end) : queue.take(sink, p)
    }
    sink.commit(put(sink, p, MARKS, 2, 3))
    if (isTooDeep(sink.buf, sink.start, sink.end))
      report(fault('too_deep', `a tuple of '${name}' would be nested more than 512 deep`, { process: name }))
    else this.outlets[0]?.send(sink.buf, sink.start, sink.end)
  }
}

/** So many may have left before their places are given back. */
const SPENT = 1024
const NOTHING: Buffer = Buffer.alloc(0)

// Copies, one behind the other: what came would hold its whole chunk for as long as it waits.
class Queue {
  readonly #copies = new Sink()
  /** From `#taken` to `#added`. */
  readonly #bufs: Buffer[] = []
  readonly #starts: number[] = []
  readonly #ends: number[] = []
  #taken = 0
  #added = 0

  get length(): number {
    return this.#added - this.#taken
  }

  add(buf: Buffer, start: number, end: number): void {
    const copies = this.#copies
    copies.commit(put(copies, copies.at, buf, start, end))
    const at = this.#added++
    this.#bufs[at] = copies.buf
    this.#starts[at] = copies.start
    this.#ends[at] = copies.end
  }

  /** Writes the oldest; gives the place behind it. */
  take(out: Sink, p: number): number {
    const at = this.#taken++
    const behind = put(out, p, this.#bufs[at] as Buffer, this.#starts[at] as number, this.#ends[at] as number)
    // What has left is held no longer.
    this.#bufs[at] = NOTHING
    if (this.#taken === this.#added) this.#taken = this.#added = 0
    else if (this.#taken > SPENT) this.#forget()
    return behind
  }

  #forget(): void {
    for (const list of [this.#bufs, this.#starts, this.#ends]) list.splice(0, this.#taken)
    this.#added -= this.#taken
    this.#taken = 0
  }
}
