// Lines into a byte stream: many to a write, with back-pressure, and with a quiet end when nobody reads any more.

import type { Writable } from 'node:stream'
import { type Fault, fault } from './error.js'
import { noteGarbage } from './garbage.js'
import { systemReason } from './system-reason.js'

export interface LineWriterOptions {
  /** JSON strings are written as their text, anything else as it is. */
  readonly raw?: boolean
  /** It is full when the stream holds more than this; 256 KiB. */
  readonly fullBytes?: number
}

const LF = 10
const QUOTE = 0x22
const BACKSLASH = 0x5c
const FLUSH_BYTES = 64 * 1024
const FULL_BYTES = 256 * 1024

// The reader went away: what `head -1` does to its neighbour is no error.
const CLOSED = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'])

export class LineWriter {
  /** More than `fullBytes` have not been accepted yet: producers should wait for `onDrain`, which comes when half of it is left. */
  isFull = false
  onDrain: (() => void) | null = null
  /** `write_failed`, once; later lines are dropped. */
  onFault: ((fault: Fault) => void) | null = null
  /** Nobody reads any more; later lines are dropped. */
  onClosed: (() => void) | null = null
  /** Given to `write`, with line ends. */
  bytes = 0
  lines = 0

  readonly #stream: Writable
  readonly #isRaw: boolean
  readonly #fullBytes: number
  /** What waits for the next flush: `#bufs[i]` from `#starts[i]` to `#ends[i]`, each of whole lines; the last may lack its LF. */
  #bufs: Buffer[] = []
  #starts: number[] = []
  #ends: number[] = []
  #pending = 0
  #isScheduled = false
  #isDone = false
  #ending: Promise<void> | undefined

  constructor(stream: Writable, { raw = false, fullBytes = FULL_BYTES }: LineWriterOptions = {}) {
    this.#stream = stream
    this.#isRaw = raw
    this.#fullBytes = fullBytes
    stream.on('error', (error: NodeJS.ErrnoException) => this.#fail(error))
    stream.on('close', () => {
      if (!this.#ending) this.#finish(() => this.onClosed?.())
    })
  }

  /** One line, without its end. These bytes, and an LF that follows them in `buf`, must not change any more. */
  write(buf: Buffer, start: number, end: number): void {
    if (this.#isDone) return
    this.lines++
    if (this.#isRaw && buf[start] === QUOTE) this.#writeUnquoted(buf, start, end)
    else this.#add(buf, start, end, buf[end] === LF)
  }

  writeText(json: string): void {
    const buf = Buffer.from(`${json}\n`)
    this.write(buf, 0, buf.length - 1)
  }

  /** Hands everything to the stream in one write. Happens by itself after the running callback, and past 64 KiB. */
  flush(): void {
    if (this.#bufs.length === 0) return
    const chunk = this.#take()
    if (this.#isDone) return
    this.#stream.write(chunk, this.#accepted)
    if (this.#stream.writableLength > this.#fullBytes) this.isFull = true
  }

  /** Resolves when everything is with the kernel, or cannot get there any more. */
  end(): Promise<void> {
    this.#ending ??= new Promise((resolve) => {
      this.flush()
      if (this.#isDone) return resolve()
      this.#stream.once('close', resolve)
      this.#stream.end(() => resolve())
    })
    return this.#ending
  }

  #add(buf: Buffer, start: number, end: number, hasEnd: boolean): void {
    const stop = hasEnd ? end + 1 : end
    const last = this.#bufs.length - 1
    if (last >= 0 && this.#ends[last] === start && this.#bufs[last] === buf && buf[start - 1] === LF) {
      this.#ends[last] = stop
    } else {
      this.#bufs.push(buf)
      this.#starts.push(start)
      this.#ends.push(stop)
    }
    const bytes = end + 1 - start
    this.bytes += bytes
    this.#pending += bytes
    if (this.#pending >= FLUSH_BYTES) this.flush()
    else if (!this.#isScheduled) {
      this.#isScheduled = true
      // Not setImmediate: that would let a poll of the event loop pass and cost latency.
      process.nextTick(this.#tick)
    }
  }

  readonly #tick = (): void => {
    this.#isScheduled = false
    this.flush()
  }

  #writeUnquoted(buf: Buffer, start: number, end: number): void {
    const text = buf.subarray(start, end)
    if (text.includes(BACKSLASH)) {
      const line = Buffer.from(`${JSON.parse(text.toString())}\n`)
      this.#add(line, 0, line.length - 1, true)
    } else {
      this.#add(buf, start + 1, end - 1, false)
    }
  }

  // One segment goes out as it lies there; several are copied together, once.
  #take(): Buffer {
    const [first, start, end] = [this.#bufs[0] as Buffer, this.#starts[0] as number, this.#ends[0] as number]
    const isWhole = this.#bufs.length === 1 && end - start === this.#pending
    const chunk = isWhole ? first.subarray(start, end) : this.#join(Buffer.allocUnsafe(this.#pending))
    this.#bufs = []
    this.#starts = []
    this.#ends = []
    this.#pending = 0
    return chunk
  }

  #join(chunk: Buffer): Buffer {
    noteGarbage(chunk.length)
    let at = 0
    for (let i = 0; i < this.#bufs.length; i++) {
      const buf = this.#bufs[i] as Buffer
      const start = this.#starts[i] as number
      const end = this.#ends[i] as number
      at += buf.copy(chunk, at, start, end)
      if (end === start || buf[end - 1] !== LF) chunk[at++] = LF
    }
    return chunk
  }

  // With an error it comes for each write that waited: what those who are told to go on would write then waited too, without end.
  readonly #accepted = (error?: Error | null): void => {
    if (error || !this.isFull || this.#isDone || this.#stream.writableLength > this.#fullBytes / 2) return
    this.isFull = false
    this.onDrain?.()
  }

  #fail(error: NodeJS.ErrnoException): void {
    this.#finish(() => {
      if (CLOSED.has(error.code ?? '')) this.onClosed?.()
      else this.onFault?.(fault('write_failed', `cannot write: ${systemReason(error)}`))
    })
  }

  // Once, whichever comes first of an error and the end of the stream.
  #finish(tell: () => void): void {
    if (this.#isDone) return
    this.#isDone = true
    this.isFull = false
    this.#bufs = []
    this.#starts = []
    this.#ends = []
    this.#pending = 0
    tell()
  }
}
