// batch: collects messages into lists, unchanged. The last list may be shorter. Copies are kept, since the originals would keep their whole
// chunks in memory. A list is never larger than the limit of a message.

import { put, Sink } from '@plumb/lang'
import { fault, isTooDeep } from '@plumb/wire'
import { Backpressure } from '../backpressure.js'
import type { Gathering } from '../cycle.js'
import type { Holding } from '../holding.js'
import type { Origin } from '../origin.js'
import type { RunContext } from '../run-context.js'
import type { ScheduledSource } from '../schedule.js'
import type { Keeping } from './keeping.js'
import { Morphism } from './morphism.js'

export interface BatchSettings {
  /** Undefined: all, until the end. */
  readonly size: number | undefined
  /** A partial list leaves this long after its first message (ms). */
  readonly withinMs: number | undefined
}

export interface BatchOptions extends BatchSettings {
  readonly name: string
  /** Where messages that wait are kept. Undefined: nowhere. */
  readonly keeping: Keeping | undefined
  /** Called with the origin of a message that went into the list of another, or failed. */
  readonly lost: (origin: Origin, kept?: Origin) => void
}

const MARKS = Buffer.from('[,]')

export class Batch extends Morphism implements ScheduledSource, Gathering {
  /** The receivers of a list that leaves by timeout. */
  readonly backpressure = new Backpressure()
  readonly #o: BatchOptions
  /** The buffer with the list so far, from `at` to `#end`. */
  readonly #sink = new Sink(Number.POSITIVE_INFINITY)
  #end = 0
  #count = 0
  /** The origin of the last waiting message: the list stems from it. */
  #origin: Origin | undefined
  #timer: NodeJS.Timeout | undefined
  #isDue = false

  constructor(
    feeds: readonly number[],
    private readonly context: Pick<RunContext, 'current' | 'report' | 'schedule' | 'maxLine'>,
    options: BatchOptions,
  ) {
    super(feeds, 1)
    this.#o = options
    for (const text of options.keeping?.before ?? []) {
      const bytes = Buffer.from(String(text))
      this.#append(bytes, 0, bytes.length)
    }
  }

  get hasTimer(): boolean {
    return this.#o.withinMs !== undefined
  }

  receive(_input: number, buf: Buffer, start: number, end: number): void {
    const { size, keeping } = this.#o
    if (this.#refuses(buf, start, end)) return
    this.#append(buf, start, end)
    if (size === undefined || this.#count < size) {
      this.#keep(this.context.current.origin)
      // As text, so that numbers keep their digits.
      keeping?.add([buf.toString('utf8', start, end)])
      if (!this.#timer) this.#startTimer()
      return
    }
    // With lists of one message nothing ever waits.
    if (this.#origin) this.#leaveBehind(this.context.current.origin)
    this.#send()
  }

  canRun(): boolean {
    return this.#isDue && this.backpressure.isOpen()
  }

  step(): number {
    return this.letGo() ? 1 : 0
  }

  get isWaiting(): boolean {
    return this.#origin !== undefined
  }

  letGo(): boolean {
    const origin = this.#origin
    if (!origin) return false
    const { current } = this.context
    this.#origin = undefined
    const before = current.enter(origin)
    this.#send()
    current.leave(before)
    origin.release()
    return true
  }

  override holding(name: string): Holding {
    const bytes = this.#count === 0 ? 0 : this.#end - this.#sink.at
    return { of: 'batch', name, waiting: this.#count, bytes, is_due: this.#isDue }
  }

  protected override finish(): void {
    this.letGo()
    super.finish()
  }

  /** Drops a message that cannot be in the list; the others still leave. */
  #refuses(buf: Buffer, start: number, end: number): boolean {
    const { name, lost } = this.#o
    const { current, report, maxLine } = this.context
    const bytes = (this.#count === 0 ? 0 : this.#end - this.#sink.at) + end - start + 2
    if (bytes > maxLine) {
      const detail = `the list of '${name}' would be larger than ${maxLine.toLocaleString('en')} bytes with this message: make it shorter`
      report(fault('too_large', detail, { process: name }))
    } else if (isTooDeep(buf, start, end, 1)) {
      report(fault('too_deep', `a list of '${name}' would be nested more than 512 deep`, { process: name }))
    } else return false
    lost(current.origin)
    return true
  }

  #append(buf: Buffer, start: number, end: number): void {
    const sink = this.#sink
    const at = this.#count === 0 ? put(sink, sink.at, MARKS, 0, 1) : put(sink, this.#end, MARKS, 1, 2)
    this.#end = put(sink, at, buf, start, end)
    this.#count++
  }

  #keep(origin: Origin): void {
    origin.retain()
    this.#leaveBehind(origin)
    this.#origin = origin
  }

  /** The list is going to stem from a later message. */
  #leaveBehind(later: Origin): void {
    const origin = this.#origin
    this.#origin = undefined
    if (!origin) return
    if (origin !== later) this.#o.lost(origin, later)
    origin.release()
  }

  #send(): void {
    const sink = this.#sink
    this.#o.keeping?.replace([])
    sink.commit(put(sink, this.#end, MARKS, 2, 3))
    this.#count = 0
    this.#isDue = false
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.outlets[0]?.send(sink.buf, sink.start, sink.end)
  }

  #startTimer(): void {
    const { withinMs } = this.#o
    if (withinMs === undefined) return
    const due = () => {
      this.#isDue = true
      this.context.schedule.wake()
    }
    // Keeps no process alive: at the end of input the list leaves anyway.
    this.#timer = setTimeout(due, withinMs).unref()
  }
}
