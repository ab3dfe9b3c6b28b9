// The buffers of results: chunks of bytes that are only ever appended to, one message after the other, each followed by a newline.

import { EvaluationFailure } from './failure.js'

const CHUNK = 65_536
/** The first is small, and the next ones grow: V8 deoptimises code that has never seen a full one when that happens. */
const FIRST_CHUNK = 1024

/** In bytes, the maximum length of a line. */
export const MAX_RESULT = 16 * 1024 * 1024

/**
 * The last message is `buf[start..end)`, and `buf[end]` is 0x0A, so that a writer can send adjacent ones in one piece. A full chunk is left
 * to the holders of its slices and never reused. A message that outgrows a chunk gets one of its own size.
 */
export class Sink {
  buf: Buffer = Buffer.allocUnsafeSlow(FIRST_CHUNK)
  /** A view of all of `buf`. */
  view: DataView = viewOf(this.buf)
  start = 0
  end = 0
  /** The start of the message being written. */
  at = 0

  /** `max`: a longer message is refused (Failure) while it is written, before it fills the memory. */
  constructor(private readonly max = MAX_RESULT) {}

  /** Moves the part of a message written so far, up to `p`, to a place with space for `more` bytes and a newline; returns the new `p`. */
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

  /** The message ends at `p`. Uncommitted bytes are overwritten by the next message. */
  commit(p: number): void {
    this.buf[p] = 10
    this.start = this.at
    this.end = p
    this.at = p + 1
  }
}

const viewOf = (buf: Buffer): DataView => new DataView(buf.buffer, buf.byteOffset, buf.length)
