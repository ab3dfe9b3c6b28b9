// Where results are written: chunks of bytes that are only ever appended to, one message after the other, each with a newline
// behind it.

import { EvaluationFailure } from './failure.js'

const CHUNK = 65_536
/** The first is small, and the next ones grow: code that has not seen a full one is thrown away by V8 when it does. */
const FIRST_CHUNK = 1024

/** In bytes, as the longest line that a reader takes. */
export const MAX_RESULT = 16 * 1024 * 1024

/**
 * The last message is `buf[start..end)`, and `buf[end]` is 0x0A, so that a writer can send neighbours in one piece. A chunk that
 * is full is left to those who hold slices of it and never used again. A message that outgrows a chunk gets one of its own size.
 */
export class Sink {
  buf: Buffer = Buffer.allocUnsafeSlow(FIRST_CHUNK)
  /** Of all of `buf`. */
  view: DataView = viewOf(this.buf)
  start = 0
  end = 0
  /** Where the message being written begins. */
  at = 0

  /** `max`: a longer message is refused (Failure) while it is written, before it fills the memory. */
  constructor(private readonly max = MAX_RESULT) {}

  /** Moves what has been written of a message, up to `p`, to where `more` bytes and a newline have room; gives the new `p`. */
  grow(p: number, more: number): number {
    const written = p - this.at
    if (written + more > this.max)
      throw new EvaluationFailure(`the result is larger than ${this.max.toLocaleString('en')} bytes`, 'too_large')
    const needed = 2 * (written + more)
    const doubled = Math.min(CHUNK, 2 * this.buf.length)
    const next = Buffer.allocUnsafeSlow(needed < doubled ? doubled : needed + 1)
    this.buf.copy(next, 0, this.at, p)
    this.buf = next
    this.view = viewOf(next)
    this.at = 0
    return written
  }

  /** The message ends at `p`. What is not committed is overwritten by the next. */
  commit(p: number): void {
    this.buf[p] = 10
    this.start = this.at
    this.end = p
    this.at = p + 1
  }
}

const viewOf = (buf: Buffer): DataView => new DataView(buf.buffer, buf.byteOffset, buf.length)
