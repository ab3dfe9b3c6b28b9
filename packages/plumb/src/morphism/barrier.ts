// barrier: the k-th messages of all branches leave together as one tuple. What waits for its partners is held here, to a limit.

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

const OPEN = 0x5b
const COMMA = 0x2c
const CLOSE = 0x5d
const NEWLINE = 0x0a

export class Barrier extends Morphism {
  readonly #options: BarrierOptions
  readonly #queues: Buffer[][]
  /** Of each queue, how many have left: dropped from its front now and then. */
  readonly #taken: number[]

  constructor(feeds: readonly number[], options: BarrierOptions) {
    super(feeds, 1)
    this.#options = options
    this.#queues = feeds.map(() => [])
    this.#taken = feeds.map(() => 0)
  }

  receive(input: number, buf: Buffer, start: number, end: number): void {
    const queue = this.#queues[input] as Buffer[]
    // A copy: a slice would hold its whole chunk for as long as it waits.
    queue.push(Buffer.from(buf.subarray(start, end)))
    if (this.#queues.every((_, i) => this.#waiting(i) > 0)) this.#join()
    else if (this.#waiting(input) > this.#options.maxWaiting) {
      const { name, maxWaiting } = this.#options
      this.#options.fail(
        fault('overflow', `more than ${maxWaiting} messages of branch '${this.#branch(input)}' wait in '${name}' for the other branches`, {
          process: name,
        }),
      )
    }
  }

  protected override finish(): void {
    const left = this.#queues.map((_, i) => this.#waiting(i))
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

  #waiting(input: number): number {
    return (this.#queues[input]?.length ?? 0) - (this.#taken[input] ?? 0)
  }

  #take(input: number): Buffer {
    const queue = this.#queues[input] as Buffer[]
    const at = this.#taken[input] ?? 0
    const message = queue[at] as Buffer
    this.#taken[input] = at + 1
    if (at + 1 === queue.length || at > 1024) {
      queue.splice(0, at + 1)
      this.#taken[input] = 0
    }
    return message
  }

  #join(): void {
    const parts = this.#queues.map((_, i) => this.#take(i))
    const tuple = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + part.length + 1, 2))
    let at = 0
    for (const part of parts) {
      tuple[at] = at === 0 ? OPEN : COMMA
      at++
      at += part.copy(tuple, at)
    }
    tuple[at++] = CLOSE
    tuple[at] = NEWLINE
    this.outlets[0]?.send(tuple, 0, at)
  }
}
