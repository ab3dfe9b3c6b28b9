// Writes a list element by element.

import { faultOfEvaluation, put, Sink } from '@plumb/lang'
import { type Fault, fault, isTooDeep } from '@plumb/wire'
import type { Origin } from '../origin.js'

export interface GatherOptions {
  /** Reports the failure of a list. */
  readonly report: (fault: Fault) => void
  /** Reports elements that fail, which are left out of their list. Undefined: they fail the list. */
  readonly skipped: ((fault: Fault) => void) | undefined
  /** Called with the origin of a failed list. */
  readonly lost: (origin: Origin) => void
  /** The type of the elements does not limit their depth. */
  readonly mayBeDeep: boolean
}

const MARKS = Buffer.from('[,]')

export class ListWriter {
  /** A buffer of its own, so that other messages may be written meanwhile. */
  readonly #sink = new Sink()
  readonly #mayBeDeep: boolean
  #p = 0
  #count = 0
  /** The state at the last mark: the bytes written, and the elements. */
  #marked = { bytes: 0, count: 0 }

  constructor(mayBeDeep: boolean) {
    this.#mayBeDeep = mayBeDeep
  }

  get buf(): Buffer {
    return this.#sink.buf
  }

  get start(): number {
    return this.#sink.start
  }

  get end(): number {
    return this.#sink.end
  }

  open(): void {
    const sink = this.#sink
    this.#p = put(sink, sink.at, MARKS, 0, 1)
    this.#count = 0
  }

  /** Later additions may be dropped. */
  mark(): void {
    this.#marked.bytes = this.#p - this.#sink.at
    this.#marked.count = this.#count
  }

  drop(): void {
    this.#p = this.#sink.at + this.#marked.bytes
    this.#count = this.#marked.count
  }

  /** Returns why it cannot be written. */
  add(buf: Buffer, start: number, end: number): Fault | undefined {
    const sink = this.#sink
    try {
      if (this.#count++ > 0) this.#p = put(sink, this.#p, MARKS, 1, 2)
      this.#p = put(sink, this.#p, buf, start, end)
    } catch (failure) {
      return faultOfEvaluation(failure)
    }
    return undefined
  }

  /** The list is `buf[start..end)`; or why it cannot be written. */
  close(): Fault | undefined {
    const sink = this.#sink
    sink.commit(put(sink, this.#p, MARKS, 2, 3))
    const isDeep = this.#mayBeDeep && isTooDeep(sink.buf, sink.start, sink.end)
    return isDeep ? fault('too_deep', 'the list would be nested more than 512 deep') : undefined
  }
}
