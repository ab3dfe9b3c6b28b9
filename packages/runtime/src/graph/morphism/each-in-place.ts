// each(p) if all of p runs synchronously, without another process and without joins: an element is done when the call that sends it
// returns, so it needs no origin of its own.

import { atIndex, type Fault, Items, isHeld } from '@plumb/wire'
import type { ErrorHandler } from '../error-handler.js'
import type { RunContext } from '../run-context.js'
import { type GatherOptions, ListWriter } from './list-writer.js'
import { Morphism } from './morphism.js'

export class InPlaceEach extends Morphism {
  constructor(
    feeds: readonly number[],
    private readonly gather: InPlaceGather,
  ) {
    super(feeds, 1)
  }

  receive(_input: number, buf: Buffer, start: number): void {
    const { gather } = this
    const [outlet] = this.outlets
    const elements = new Items(buf, start)
    gather.open()
    while (elements.hasNext) {
      gather.begin(elements.next())
      outlet?.send(buf, elements.start, elements.end)
    }
    gather.close()
  }
}

export class InPlaceGather extends Morphism implements ErrorHandler {
  index: number | undefined
  readonly #o: GatherOptions
  readonly #writer: ListWriter
  #fault: Fault | undefined
  /** Results of the current element. */
  #isSkipped = false

  constructor(
    feeds: readonly number[],
    private readonly context: Pick<RunContext, 'current'>,
    options: GatherOptions,
  ) {
    super(feeds, 1)
    this.#o = options
    this.#writer = new ListWriter(options.mayBeDeep)
  }

  open(): void {
    this.#fault = undefined
    this.#writer.open()
  }

  begin(index: number): void {
    this.index = index
    this.#isSkipped = false
    this.#writer.mark()
  }

  receive(_input: number, buf: Buffer, start: number, end: number): void {
    if (this.#fault || this.#isSkipped) return
    this.#fault = this.#writer.add(buf, start, end)
  }

  handle(fault: Fault): boolean {
    if (this.index === undefined) return false
    if (this.#fault || this.#isSkipped) return true
    const reason = atIndex(fault, this.index)
    if (this.#o.skipped && !isHeld(fault)) {
      this.#isSkipped = true
      this.#writer.drop()
      this.#o.skipped(reason)
    } else this.#fault = reason
    return true
  }

  close(): void {
    const { report, lost } = this.#o
    const writer = this.#writer
    this.index = undefined
    const fault = this.#fault ?? writer.close()
    if (!fault) return this.outlets[0]?.send(writer.buf, writer.start, writer.end)
    report(fault)
    lost(this.context.current.origin)
  }
}
