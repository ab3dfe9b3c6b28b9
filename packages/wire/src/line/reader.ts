// Lines out of a byte stream, pulled one at a time and without an object a line: JSON Lines framing as plumb-wire(5) has it.
//
//            a chunk comes                   next() has none left         end, close or error   stop()
//   flowing  kept; with lines left, paused   false                        over                  ended
//   paused   kept                            false, flowing               over                  ended
//   over     dropped                         the fault, if any; then ended   -                  ended
//   ended    dropped                         false                        -                     -
//
// What `next()` takes lines from, in this order:
//
//   the region         whole lines: `#region[#at..#limit)`
//   the rest           whole lines of the same chunk, after the line that the chunk before it began
//   the chunks         read and not looked at yet; one becomes the two above
//   the line so far    at the end of the stream: the beginning of a line whose end did not come

import { isUtf8 } from 'node:buffer'
import { type Code, type Fault, fault } from '../error.js'
import { systemReason } from '../system-reason.js'
import { hintMinorGc } from './minor-gc.js'
import type { LineSource } from './stream.js'
import { describeForeignByte } from './utf8-flaw.js'

export const MAX_LINE = 16 * 1024 * 1024

export interface LineReaderOptions {
  /** Bytes of a line without its end; 16 MiB. */
  readonly maxLine?: number
  /** Each line is text: `buf[start..end)` is its JSON string, and an empty line is `""`. */
  readonly raw?: boolean
  /** Called when `next()` may have something new: a line, a fault or the end; never before the constructor has returned. */
  readonly onReadable?: () => void
  /** Called with the bytes of each line that is too long to be held, as they come, without its end; `isEnd` once for each. */
  readonly onOversize?: (piece: Buffer, isEnd: boolean) => void
}

/** Takes whole lines in batches, without framing each. */
export interface LineBatcher {
  /** How many lines it took the last time. */
  readonly taken: number
  /**
   * The lines are `buf[at..limit)`, each with its end, valid UTF-8, after `line` earlier ones. Returns the offset after the last line
   * taken.
   */
  takeBatch(buf: Buffer, at: number, limit: number, max: number, line: number): number
}

const LF = 10
const CR = 13
const NOTHING = Buffer.alloc(0)
// Bytes beyond the limit before framing: a byte-order mark and a CR.
const SLACK = 4
/** Bytes of a line that is too long. */
const SHOWN_OF_LONG = 1024

/**
 * Call `next()` until it returns false, then wait for `onReadable`. The stream is paused while lines are left, so that
 * never more than a line and a chunk are held. After `next()` returned true there is either a `fault`, with the bytes of a line that is not
 * UTF-8 or the first ones of a line that is too long, or a line: valid UTF-8 in `buf[start..end)`, without its LF or CR LF, never blank. The bytes do not change as long as `buf` is
 * referenced; where the line had an LF alone, `buf[end]` is it.
 */
export class LineReader {
  buf: Buffer = NOTHING
  start = 0
  end = 0
  /** Number of the line from 1; blank ones count. */
  line = 0
  fault: Fault | null = null
  /** This line had no newline: if it is not JSON, it was truncated. */
  isLast = false
  /** Bytes of a line without its end. */
  readonly maxLine: number
  readonly #stream: LineSource
  readonly #isRaw: boolean
  readonly #onReadable: LineReaderOptions['onReadable']
  readonly #onOversize: LineReaderOptions['onOversize']

  /** Chunks that are not framed yet; more than one only if a stream ignores `pause`. */
  readonly #chunks: Buffer[] = []
  /** The whole lines to pull: `#region[#at..#limit)`, then `#rest[#restAt..#restLimit)`. */
  #region: Buffer = NOTHING
  #at = 0
  #limit = 0
  #isRegionUtf8 = true
  #rest: Buffer = NOTHING
  #restAt = 0
  #restLimit = 0
  readonly #begun = new BegunLine()
  #state: 'flowing' | 'paused' | 'over' | 'ended' = 'flowing'
  #failure: Fault | null = null

  constructor(stream: LineSource, options: LineReaderOptions = {}) {
    this.#stream = stream
    this.maxLine = options.maxLine ?? MAX_LINE
    this.#isRaw = options.raw ?? false
    this.#onReadable = options.onReadable
    this.#onOversize = options.onOversize
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (!this.#isOver) this.#failure = fault('read_failed', `cannot read: ${systemReason(error)}`)
      this.#finish()
    })
    stream.on('end', () => this.#finish())
    stream.on('close', () => this.#finish())
    stream.on('data', (chunk: Buffer) => this.#accept(chunk))
    // The stream may have been paused by an earlier reader, or never read.
    if (stream.isPaused()) stream.resume()
  }

  /** The end was reached and everything before it pulled. */
  get hasEnded(): boolean {
    return this.#state === 'ended'
  }

  get #isOver(): boolean {
    return this.#state === 'over' || this.#state === 'ended'
  }

  /** Moves to the next line or fault. False: none now, or none any more (`hasEnded`). */
  next(): boolean {
    this.fault = null
    this.isLast = false
    for (;;) {
      if (this.#at < this.#limit) {
        if (this.#frame()) return true
      } else if (this.#restAt < this.#restLimit) {
        this.#enter(this.#rest, this.#restAt, this.#restLimit)
        this.#rest = NOTHING
        this.#restLimit = 0
      } else if (this.#chunks.length > 0) {
        if (this.#take(this.#chunks.shift() as Buffer)) return true
      } else if (!this.#isOver) {
        if (this.#state === 'paused') this.#resume()
        return false
      } else if (this.#begun.bytes > 0) {
        this.#enterBegun()
      } else if (this.#failure) {
        this.fault = this.#failure
        this.#failure = null
        this.#show(NOTHING)
        return true
      } else {
        this.#state = 'ended'
        this.#region = NOTHING
        this.#show(NOTHING)
        return false
      }
    }
  }

  /** Lets a batcher take up to `max` lines, and returns how many it took. If none, `next()` has to read the next one. */
  takeBatch(batcher: LineBatcher, max: number): number {
    if (!this.#isRegionUtf8 || this.#isRaw || this.#at >= this.#limit) return 0
    this.#at = batcher.takeBatch(this.#region, this.#at, this.#limit, max, this.line)
    this.line += batcher.taken
    return batcher.taken
  }

  /** Stops reading: what has not been pulled is dropped, and the descriptor is closed. */
  stop(): void {
    this.#state = 'ended'
    this.#chunks.length = 0
    this.#limit = this.#restLimit = 0
    this.#begun.drop()
    this.#failure = null
    this.#stream.destroy()
  }

  #accept(chunk: Buffer): void {
    if (this.#isOver) return
    hintMinorGc(chunk.length)
    this.#chunks.push(chunk)
    this.#onReadable?.()
    // Even if it is already paused: a child's exit makes Node resume its streams.
    if (this.#at < this.#limit || this.#restAt < this.#restLimit || this.#chunks.length > 0) {
      // It may have ended in the meantime.
      if (!this.#isOver) this.#state = 'paused'
      this.#stream.pause()
    }
  }

  #resume(): void {
    this.#state = 'flowing'
    this.#stream.resume()
  }

  #finish(): void {
    if (this.#isOver) return
    this.#state = 'over'
    if (this.#begun.isDiscarded) this.#onOversize?.(NOTHING, true)
    this.#onReadable?.()
  }

  // Splits a chunk into the end of the line so far, whole lines, and the beginning of the next one. True: there is a fault.
  #take(chunk: Buffer): boolean {
    const begun = this.#begun
    let from = 0
    if (begun.isDiscarded || begun.bytes > 0) {
      const end = chunk.indexOf(LF)
      if (end < 0) return this.#takePiece(chunk)
      from = end + 1
      if (begun.isDiscarded) this.#onOversize?.(chunk.subarray(0, end), true)
      else {
        begun.append(chunk.subarray(0, from), 0)
        this.#enterBegun()
      }
      begun.isDiscarded = false
    }
    const whole = chunk.lastIndexOf(LF) + 1
    if (whole === 0) return this.#takePiece(chunk)
    this.#rest = chunk
    this.#restAt = from
    this.#restLimit = whole
    // May exceed the limit if a chunk does: the lines before it come first, and it is refused when more of it comes.
    if (whole < chunk.length) begun.append(chunk.subarray(whole), 0)
    return false
  }

  /** A piece of a line, without its end. */
  #takePiece(piece: Buffer): boolean {
    const begun = this.#begun
    if (begun.isDiscarded) {
      this.#onOversize?.(piece, false)
      return false
    }
    begun.append(piece, begun.bytes + piece.length)
    if (begun.bytes <= this.maxLine + SLACK) return false
    const held = begun.text
    this.#onOversize?.(held, false)
    begun.drop()
    begun.isDiscarded = true
    this.line++
    return this.#refuseLong(held)
  }

  #enterBegun(): void {
    const { text, bytes } = this.#begun
    this.#enter(text, 0, bytes)
    this.#begun.drop()
  }

  #enter(region: Buffer, at: number, limit: number): void {
    this.#region = region
    this.#at = at
    this.#limit = limit
    // A newline is never within a character, so a region of whole lines can be validated at once.
    this.#isRegionUtf8 = isUtf8(region.subarray(at, limit))
  }

  // Takes one line off the region. False: it is blank.
  #frame(): boolean {
    const region = this.#region
    let start = this.#at
    let end = region.indexOf(LF, start)
    this.line++
    if (end < 0) {
      this.isLast = true
      this.#at = end = this.#limit
    } else {
      this.#at = end + 1
      if (end > start && region[end - 1] === CR) end--
    }
    if (this.line === 1 && region[start] === 0xef && region[start + 1] === 0xbb && region[start + 2] === 0xbf) start += 3
    if (end - start > this.maxLine) {
      const whole = region.subarray(start, end)
      this.#onOversize?.(whole, true)
      return this.#refuseLong(whole)
    }
    if (!this.#isRegionUtf8 && !isUtf8(region.subarray(start, end))) return this.#refuseBytes(region, start, end)
    if (this.#isRaw) return this.#quote(region, start, end)
    if ((start === end || (region[start] as number) <= 0x20) && isBlank(region, start, end)) return false
    this.buf = region
    this.start = start
    this.end = end
    return true
  }

  #quote(region: Buffer, start: number, end: number): true {
    this.buf = Buffer.from(`${JSON.stringify(region.toString('utf8', start, end))}\n`)
    this.start = 0
    this.end = this.buf.length - 1
    return true
  }

  #refuseLong(held: Buffer): true {
    // A copy, so that not all of it is kept.
    this.#show(Buffer.from(held.subarray(0, SHOWN_OF_LONG)))
    return this.#refuse('line_too_long', `line ${this.line} is longer than ${this.maxLine} bytes; --max-line allows more`)
  }

  #refuseBytes(region: Buffer, start: number, end: number): true {
    this.buf = region
    this.start = start
    this.end = end
    if (this.isLast && endsInsideCharacter(region, start, end))
      return this.#refuse('truncated_line', `the input ended inside line ${this.line}`)
    return this.#refuse('invalid_utf8', describeForeignByte(region.subarray(start, end), `line ${this.line}`))
  }

  #show(bytes: Buffer): void {
    this.buf = bytes
    this.start = 0
    this.end = bytes.length
  }

  #refuse(code: Code, detail: string): true {
    this.fault = fault(code, detail, { line: this.line })
    return true
  }
}

/** The beginning of a line whose end has not come; or it was too long and has been reported, and its rest is discarded. */
class BegunLine {
  bytes = 0
  isDiscarded = false
  #buf: Buffer = NOTHING

  get text(): Buffer {
    return this.#buf.subarray(0, this.bytes)
  }

  // Growing by the size of the content makes the cost of a line proportional to its length, however small its pieces are.
  append(piece: Buffer, spare: number): void {
    const bytes = this.bytes + piece.length
    if (this.bytes === 0) {
      this.#buf = piece
    } else {
      if (bytes > this.#buf.length) {
        const larger = Buffer.allocUnsafe(bytes + spare)
        this.#buf.copy(larger, 0, 0, this.bytes)
        this.#buf = larger
      }
      piece.copy(this.#buf, this.bytes)
    }
    this.bytes = bytes
  }

  drop(): void {
    this.#buf = NOTHING
    this.bytes = 0
  }
}

// Checks of a line's bytes before they are parsed as JSON.
const isBlank = (buf: Buffer, start: number, end: number): boolean => {
  for (let i = start; i < end; i++) {
    const byte = buf[i]
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false
  }
  return true
}

/** Whether everything except an unfinished character at the end is valid. */
const endsInsideCharacter = (buf: Buffer, start: number, end: number): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(buf.subarray(start, end), { stream: true })
    return true
  } catch {
    return false
  }
}
