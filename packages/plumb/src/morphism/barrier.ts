// barrier: the k-th messages of all branches leave together as one tuple. What waits for its partners is held here, to a limit.

import { isTooDeep, put, Sink } from '@plumb/lang'
import { type Fault, fault } from '@plumb/wire'
import { Morphism } from './morphism.js'

export interface BarrierOptions {
  readonly name: string
  /** Branches as the program orders them, by the processes that feed them. */
  readonly branches: readonly string[]
  readonly maxWaiting: number
  /** Where results are being written. */
  readonly sink: Sink
  readonly report: (fault: Fault) => void
  /** Past the limit the run cannot go on. */
  readonly fail: (fault: Fault) => void
}

const MARKS = Buffer.from('[,]')

export class Barrier extends Morphism {
  readonly #options: BarrierOptions
  readonly #queues: readonly Queue[]

  constructor(feeds: readonly number[], options: BarrierOptions) {
    super(feeds, 1)
    this.#options = options
    this.#queues = feeds.map(() => new Queue())
  }

  receive(input: number, buf: Buffer, start: number, end: number): void {
    const queue = this.#queues[input] as Queue
    queue.add(buf, start, end)
    if (this.#isComplete()) return this.#join()
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

  #isComplete(): boolean {
    for (const queue of this.#queues) if (queue.length === 0) return false
    return true
  }

  #join(): void {
    const { name, sink, report } = this.#options
    let p = sink.at
    for (const [i, queue] of this.#queues.entries()) {
      p = put(sink, p, MARKS, i === 0 ? 0 : 1, i === 0 ? 1 : 2)
      p = queue.take(sink, p)
    }
    sink.commit(put(sink, p, MARKS, 2, 3))
    const { buf, start, end } = sink
    if (isTooDeep(buf, start, end)) report(fault('too_deep', `a tuple of '${name}' would be nested more than 512 deep`, { process: name }))
    else this.outlets[0]?.send(buf, start, end)
  }
}

/** So many may have left before their places are given back. */
const SPENT = 1024

// Copies, one behind the other: what came would hold its whole chunk for as long as it waits.
class Queue {
  readonly #copies = new Sink()
  #bufs: Buffer[] = []
  #starts: number[] = []
  #ends: number[] = []
  #taken = 0

  get length(): number {
    return this.#bufs.length - this.#taken
  }

  add(buf: Buffer, start: number, end: number): void {
    const copies = this.#copies
    copies.commit(put(copies, copies.at, buf, start, end))
    this.#bufs.push(copies.buf)
    this.#starts.push(copies.start)
    this.#ends.push(copies.end)
  }

  /** Writes the oldest; gives the place behind it. */
  take(out: Sink, p: number): number {
    const at = this.#taken++
    const behind = put(out, p, this.#bufs[at] as Buffer, this.#starts[at] as number, this.#ends[at] as number)
    if (this.#taken === this.#bufs.length || this.#taken > SPENT) this.#forget()
    return behind
  }

  #forget(): void {
    for (const list of [this.#bufs, this.#starts, this.#ends]) list.splice(0, this.#taken)
    this.#taken = 0
  }
}
