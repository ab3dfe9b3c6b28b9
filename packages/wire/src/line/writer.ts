// Lines into a byte stream: many to a write, with back-pressure, and with a quiet end when the reader has closed.
//
//          more than fullBytes wait   half of it is left   error or close
//   open   full                       -                    done, onFault or onClosed
//   full   -                          open, onDrain        done, onFault or onClosed
//   done   what is written is dropped

import { type Fault, fault } from '../error.js'
import { systemReason } from '../system-reason.js'
import { hintMinorGc } from './minor-gc.js'
import type { LineSink } from './stream.js'

export interface LineWriterOptions {
  /** Lines are written as `unquoted` says. */
  readonly raw?: boolean
  /** Full when the stream holds more than this; 256 KiB. */
  readonly fullBytes?: number
  /** Half of what made it full has been accepted. */
  readonly onDrain?: () => void
  /** `write_failed`, once; later lines are dropped. */
  readonly onFault?: (fault: Fault) => void
  /** The reader has closed; later lines are dropped. */
  readonly onClosed?: () => void
}

const LF = 10
const QUOTE = 0x22
const BACKSLASH = 0x5c
const NOTHING: Buffer = Buffer.alloc(0)
const FLUSH_BYTES = 64 * 1024
const FULL_BYTES = 256 * 1024
/** Copying this much takes longer than handing it over. */
const LONG_BYTES = 8 * 1024

// The reader went away, as `head -1` does: no error.
const CLOSED = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'])

/** The text of a JSON string; other values unchanged, and so is a string with half a surrogate pair, which UTF-8 has no bytes for. */
export const unquoted = (json: string): string => {
  if (!json.startsWith('"')) return json
  const text: string = JSON.parse(json)
  return /\p{Surrogate}/u.test(text) ? json : text
}

export class LineWriter {
  /** Bytes given to `write`, with line ends. */
  bytes = 0
  lines = 0

  readonly #stream: LineSink
  readonly #isRaw: boolean
  readonly #fullBytes: number
  readonly #listeners: LineWriterOptions
  /** Pending segments: `#bufs[i]` from `#starts[i]` to `#ends[i]`, each of whole lines; the last may lack its LF. */
  #bufs: Buffer[] = []
  #starts: number[] = []
  #ends: number[] = []
  /** The last segment, which may still grow: `#buf[#start..#end)`. */
  #buf = NOTHING
  #start = 0
  #end = 0
  #pending = 0
  /** How many of them lack their LF. */
  #missing = 0
  #isScheduled = false
  #state: 'open' | 'full' | 'done' = 'open'
  #ending: Promise<void> | undefined

  constructor(stream: LineSink, options: LineWriterOptions = {}) {
    this.#stream = stream
    this.#isRaw = options.raw ?? false
    this.#fullBytes = options.fullBytes ?? FULL_BYTES
    this.#listeners = options
    stream.on('error', (error: NodeJS.ErrnoException) => this.#fail(error))
    stream.on('close', () => {
      if (!this.#ending) this.#finish(() => this.#listeners.onClosed?.())
    })
  }

  /** More than `fullBytes` have not been accepted yet: producers should wait for `onDrain`. */
  get isFull(): boolean {
    return this.#state === 'full'
  }

  /** Writes one line, without its end. These bytes, and an LF that follows them in `buf`, must not change any more. */
  write(buf: Buffer, start: number, end: number): void {
    if (this.#state === 'done') return
    this.lines++
    if (this.#isRaw && buf[start] === QUOTE) this.#writeUnquoted(buf, start, end)
    else this.#addLine(buf, start, end)
  }

  /** Writes consecutive lines, each with its LF; the last LF is `buf[end - 1]`. */
  writeLines(buf: Buffer, start: number, end: number, lines: number): void {
    if (this.#state === 'done') return
    this.lines += lines
    if (this.#isRaw) this.#writeRaw(buf, start, end)
    else this.#add(buf, start, end, 0)
  }

  writeText(json: string): void {
    const buf = Buffer.from(`${json}\n`)
    this.write(buf, 0, buf.length - 1)
  }

  /** Hands everything to the stream in one write. Happens by itself after the running callback, and beyond 64 KiB. */
  flush(): void {
    if (this.#buf === NOTHING) return
    const chunks = this.#take()
    if (this.#state === 'done') return
    if (chunks.length > 1) this.#stream.cork?.()
    for (const chunk of chunks) this.#stream.write(chunk, this.#accepted)
    if (chunks.length > 1) this.#stream.uncork?.()
    if (this.#state === 'open' && this.#stream.writableLength > this.#fullBytes) this.#state = 'full'
  }

  /** Resolves when everything is with the kernel, or cannot get there any more. */
  end(): Promise<void> {
    this.#ending ??= new Promise((resolve) => {
      this.flush()
      if (this.#state === 'done') return resolve()
      this.#stream.once('close', resolve)
      this.#stream.end(() => resolve())
    })
    return this.#ending
  }

  #addLine(buf: Buffer, start: number, end: number): void {
    if (buf[end] === LF) this.#add(buf, start, end + 1, 0)
    else this.#add(buf, start, end, 1)
  }

  // How many bytes are missing at the end: an LF, or nothing.
  #add(buf: Buffer, start: number, end: number, missing: number): void {
    if (this.#end === start && this.#buf === buf && buf[start - 1] === LF) {
      this.#end = end
    } else {
      this.#close()
      this.#buf = buf
      this.#start = start
      this.#end = end
    }
    const bytes = end + missing - start
    this.bytes += bytes
    this.#missing += missing
    this.#pending += bytes
    if (this.#pending >= FLUSH_BYTES) this.flush()
    else if (!this.#isScheduled) {
      this.#isScheduled = true
      // Not setImmediate: that would let a poll of the event loop pass, which costs latency.
      process.nextTick(this.#tick)
    }
  }

  readonly #tick = (): void => {
    this.#isScheduled = false
    this.flush()
  }

  #writeUnquoted(buf: Buffer, start: number, end: number): void {
    const json = buf.subarray(start, end)
    if (!json.includes(BACKSLASH)) return this.#add(buf, start + 1, end - 1, 1)
    const line = Buffer.from(`${unquoted(json.toString())}\n`)
    this.#add(line, 0, line.length, 0)
  }

  #writeRaw(buf: Buffer, start: number, end: number): void {
    for (let at = start; at < end; ) {
      const stop = buf.indexOf(LF, at)
      if (buf[at] === QUOTE) this.#writeUnquoted(buf, at, stop)
      else this.#add(buf, at, stop + 1, 0)
      at = stop + 1
    }
  }

  #close(): void {
    if (this.#buf === NOTHING) return
    this.#bufs.push(this.#buf)
    this.#starts.push(this.#start)
    this.#ends.push(this.#end)
  }

  // Long segments are written in place; short ones are copied together, once.
  #take(): Buffer[] {
    this.#close()
    const bufs = this.#bufs
    const isLong = this.#missing === 0 && (bufs.length === 1 || this.#pending >= bufs.length * LONG_BYTES)
    const chunks = isLong
      ? bufs.map((buf, i) => buf.subarray(this.#starts[i], this.#ends[i]))
      : [this.#join(Buffer.allocUnsafe(this.#pending))]
    this.#forget()
    return chunks
  }

  #forget(): void {
    this.#bufs = []
    this.#starts = []
    this.#ends = []
    this.#buf = NOTHING
    this.#pending = this.#missing = 0
  }

  #join(chunk: Buffer): Buffer {
    hintMinorGc(chunk.length)
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

  // On an error it is called for each pending write: otherwise producers would wait for ever.
  readonly #accepted = (error?: Error | null): void => {
    if (error || this.#state !== 'full' || this.#stream.writableLength > this.#fullBytes / 2) return
    this.#state = 'open'
    this.#listeners.onDrain?.()
  }

  #fail(error: NodeJS.ErrnoException): void {
    this.#finish(() => {
      if (CLOSED.has(error.code ?? '')) this.#listeners.onClosed?.()
      else this.#listeners.onFault?.(fault('write_failed', `cannot write: ${systemReason(error)}`))
    })
  }

  // Once, for the first of an error and the end of the stream.
  #finish(notify: () => void): void {
    if (this.#state === 'done') return
    this.#state = 'done'
    this.#forget()
    notify()
  }
}
