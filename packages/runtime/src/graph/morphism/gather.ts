// each(p), its exit: results of an element wait in its slot until nothing more can come, and lists leave whole, in the order of arrival.
// The finished beginning of the first list is written at once, so that only elements in flight, and those after a slow element, are held.

import { type GraphPosition, put, Sink } from '@plumb/lang'
import { atIndex, type Fault, fault, isHeld } from '@plumb/wire'
import type { ErrorHandler } from '../error-handler.js'
import type { Origin, OriginListener } from '../origin.js'
import type { RunContext } from '../run-context.js'
import { type GatherOptions, ListWriter } from './list-writer.js'
import { Morphism } from './morphism.js'

export interface GatherByOriginOptions extends GatherOptions {
  readonly place: GraphPosition
  /** Elements that p may have at once. */
  readonly parallel: number
  /** Elements that are in flight or wait for others of their list. */
  readonly maxWaiting: number
}

export class Gather extends Morphism implements ErrorHandler {
  readonly #o: GatherByOriginOptions
  readonly #writer: ListWriter
  /** Copies of waiting results: the originals would keep their whole chunks in memory. */
  readonly #copies = new Sink()
  /** The first list is being written. */
  readonly #lists: GatheredList[] = []
  #inHand = 0
  #waiting = 0
  /** No more lists come. p may have ended before: then what is left of each is a list all the same, or an error. */
  #isEntranceClosed = false
  #isExitClosed = false

  constructor(
    feeds: readonly number[],
    private readonly context: Pick<RunContext, 'current'>,
    options: GatherByOriginOptions,
  ) {
    super(feeds, 1)
    this.#o = options
    this.#writer = new ListWriter(options.mayBeDeep)
  }

  get lists(): number {
    return this.#lists.length
  }

  get elements(): number {
    return this.#inHand
  }

  get hasRoom(): boolean {
    const { parallel, maxWaiting } = this.#o
    return this.#inHand < parallel && this.#waiting < maxWaiting
  }

  /** The current list enters. */
  open(): GatheredList {
    const { origin } = this.context.current
    origin.retain()
    const list: GatheredList = { origin, first: undefined, last: undefined, isSent: false, fault: undefined }
    this.#lists.push(list)
    if (this.#lists.length === 1) this.#writer.open()
    return list
  }

  /** The next element of a list is going to be sent. */
  expect(list: GatheredList, index: number, origin: Origin): void {
    const slot = new Slot(this, list, index)
    if (list.last) list.last.next = slot
    else list.first = slot
    list.last = slot
    this.#inHand++
    this.#waiting++
    origin.addListener(slot)
  }

  /** All its elements were sent. */
  sent(list: GatheredList): void {
    list.isSent = true
    this.#advance()
  }

  receive(_input: number, buf: Buffer, start: number, end: number): void {
    const slot = this.#slot
    if (!slot) return this.#o.report(STRAY)
    if (slot.fault) return
    const copies = this.#copies
    copies.commit(put(copies, copies.at, buf, start, end))
    slot.add({ buf: copies.buf, start: copies.start, end: copies.end })
  }

  handle(fault: Fault): boolean {
    const { skipped } = this.#o
    const slot = this.#slot
    if (!slot || slot.isSettled) return false
    if (slot.fault) return true
    slot.fault = atIndex(fault, slot.index)
    slot.outputs = undefined
    if (!isHeld(fault)) skipped?.(slot.fault)
    return true
  }

  get index(): number | undefined {
    return this.#slot?.index
  }

  /** Nothing more comes of its element. */
  settle(slot: Slot): void {
    slot.isSettled = true
    this.#inHand--
    this.#advance()
  }

  /** The element that the current message stems from. */
  get #slot(): Slot | undefined {
    const listeners = this.context.current.origin.passed(this.#o.place)?.listeners ?? []
    for (const one of listeners) if (one instanceof Slot && one.gather === this) return one
    return undefined
  }

  #advance(): void {
    for (let list = this.#lists[0]; list && this.#isWhole(list); list = this.#lists[0]) {
      this.#lists.shift()
      this.#leave(list)
    }
  }

  // Writes the finished elements of the first list; true if that is all of it.
  #isWhole(list: GatheredList): boolean {
    for (let slot = list.first; slot?.isSettled; slot = list.first) {
      list.first = slot.next
      if (!slot.next) list.last = undefined
      this.#waiting--
      this.#write(slot, list)
    }
    return list.isSent && !list.first
  }

  #write({ fault, outputs }: Slot, list: GatheredList): void {
    // A list waits with its element.
    if (!this.#o.skipped || (fault && isHeld(fault))) list.fault ??= fault
    if (list.fault) return
    if (Array.isArray(outputs)) for (const { buf, start, end } of outputs) list.fault ??= this.#writer.add(buf, start, end)
    else if (outputs) list.fault = this.#writer.add(outputs.buf, outputs.start, outputs.end)
  }

  #leave(list: GatheredList): void {
    const { origin, fault: failed } = list
    const { report, lost } = this.#o
    const { current } = this.context
    const writer = this.#writer
    const reason = failed ?? writer.close()
    const { buf, start, end } = writer
    // The next one may be written meanwhile.
    if (this.#lists.length > 0) writer.open()
    const before = current.enter(origin)
    if (reason) report(reason)
    if (reason) lost(origin)
    else this.outlets[0]?.send(buf, start, end)
    current.leave(before)
    this.#closeWhenDone()
    origin.release()
  }

  entranceClosed(): void {
    this.#isEntranceClosed = true
    this.#closeWhenDone()
  }

  protected override finish(): void {
    this.#isExitClosed = true
    this.#closeWhenDone()
  }

  #closeWhenDone(): void {
    if (this.#isEntranceClosed && this.#isExitClosed && this.#lists.length === 0) super.finish()
  }
}

const STRAY = fault('child_failed', 'what a process in an each gave stems from no one element, and is left out')

/** A list in progress. */
export interface GatheredList {
  readonly origin: Origin
  /** Elements that are not written yet. */
  first: Slot | undefined
  last: Slot | undefined
  /** All its elements were sent. */
  isSent: boolean
  fault: Fault | undefined
}

interface Piece {
  readonly buf: Buffer
  readonly start: number
  readonly end: number
}

/** The results of an element. Most have one output. */
class Slot implements OriginListener {
  // After all barriers within p.
  readonly rank = Number.MAX_SAFE_INTEGER
  isSettled = false
  outputs: Piece | Piece[] | undefined
  fault: Fault | undefined
  next: Slot | undefined

  constructor(
    readonly gather: Gather,
    readonly list: GatheredList,
    readonly index: number,
  ) {}

  add(piece: Piece): void {
    if (Array.isArray(this.outputs)) this.outputs.push(piece)
    else this.outputs = this.outputs ? [this.outputs, piece] : piece
  }

  originEnded(): void {
    this.gather.settle(this)
  }
}
