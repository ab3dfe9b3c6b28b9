// Iterates over the items of an array, for callers that pause in between.

import { skipSpace, skipValue, UNCHECKED_DEPTH } from './skip.js'

const [COMMA, CLOSE] = [0x2c, 0x5d]

export class Items {
  /** The index of the next item, from 0. */
  index = 0
  /** The position of the last item. */
  start = 0
  end: number
  #at: number

  /** `buf[start..)` begins with an array, which is JSON. */
  constructor(
    readonly buf: Buffer,
    start: number,
  ) {
    this.#at = skipSpace(buf, skipSpace(buf, start) + 1)
    this.end = this.#at
  }

  get hasNext(): boolean {
    return this.buf[this.#at] !== CLOSE
  }

  /** Moves to the next item, which must exist, and returns its index. */
  next(): number {
    const { buf } = this
    this.start = this.#at
    this.end = skipValue(buf, this.start, UNCHECKED_DEPTH)
    const behind = skipSpace(buf, this.end)
    this.#at = buf[behind] === COMMA ? skipSpace(buf, behind + 1) : behind
    return this.index++
  }
}
