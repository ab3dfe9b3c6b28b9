// each(p), its entrance: sends the elements of lists, each with an origin of its own within that of its list. If p contains another
// process, a list waits here while the maximum number of elements is in flight, or p is full; its source then waits too.

import type { GraphPosition } from '@plumb/lang'
import { Items } from '@plumb/wire'
import { Backpressure, type Buffering } from '../backpressure.js'
import type { Worker } from '../cycle.js'
import type { Holding } from '../holding.js'
import type { RunContext } from '../run-context.js'
import type { ScheduledSource } from '../schedule.js'
import type { Gather, GatheredList } from './gather.js'
import { Morphism } from './morphism.js'

export interface EachMorphismOptions {
  readonly place: GraphPosition
  readonly gather: Gather
  /** p answers asynchronously; else everything is done at once, and nothing has to wait. */
  readonly waits: boolean
}

/** A list with elements that are still to be sent. */
interface Pending {
  readonly list: GatheredList
  readonly items: Items
}

export class Each extends Morphism implements ScheduledSource, Buffering, Worker {
  readonly held = 0
  readonly gathered = 0
  /** The receivers in p. */
  readonly backpressure = new Backpressure()
  readonly #o: EachMorphismOptions
  readonly #pending: Pending[] = []
  #isEnding = false

  constructor(
    feeds: readonly number[],
    private readonly context: Pick<RunContext, 'current'>,
    options: EachMorphismOptions,
  ) {
    super(feeds, 1)
    this.#o = options
  }

  get waits(): boolean {
    return this.#o.waits
  }

  /** Its source waits. */
  get isFull(): boolean {
    return this.#pending.length > 0
  }

  /** Lists that a cycle has to wait for. Sent elements are counted where they are in flight. */
  get inFlight(): number {
    return this.#pending.length
  }

  override holding(name: string): Holding {
    const { lists, elements } = this.#o.gather
    return { of: 'each', name, waiting: this.#pending.length, lists, elements }
  }

  receive(_input: number, buf: Buffer, start: number): void {
    const { gather } = this.#o
    this.#pending.push({ list: gather.open(), items: new Items(buf, start) })
    if (this.#pending.length === 1) this.step(Number.POSITIVE_INFINITY)
  }

  canRun(): boolean {
    const { gather, waits } = this.#o
    return this.#pending.length > 0 && (!waits || (gather.hasRoom && this.backpressure.isOpen()))
  }

  step(most: number): number {
    let sent = 0
    for (; sent < most && this.canRun(); sent++) this.#sendNext(this.#pending[0] as Pending)
    return sent
  }

  // An element, or the end of the list.
  #sendNext({ list, items }: Pending): void {
    const { gather, place } = this.#o
    const { current } = this.context
    if (items.hasNext) {
      const origin = list.origin.at(place)
      gather.expect(list, items.next(), origin)
      const before = current.enter(origin)
      this.outlets[0]?.send(items.buf, items.start, items.end)
      current.leave(before)
      origin.release()
    }
    if (items.hasNext) return
    this.#pending.shift()
    gather.sent(list)
    if (this.#isEnding && this.#pending.length === 0) this.#close()
  }

  protected override finish(): void {
    if (this.#pending.length === 0) this.#close()
    else this.#isEnding = true
  }

  #close(): void {
    this.#o.gather.entranceClosed()
    super.finish()
  }
}
