// Reads a window of lines of a file of any size, in chunks and bounded memory.

import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { sizedReader } from '@plumb/sandbox'
import { isBinary } from './text-file.js'

export interface LineWindow {
  /** Whole lines with their endings; a first line longer than `maxBytes` is cut between characters. */
  readonly text: string
  /** Number of lines in the window. */
  readonly lines: number
  /** The window was ended by `maxBytes`, not by `limit` or the end of the file. */
  readonly isCut: boolean
  readonly totalLines: number
  readonly sha256: string
}

const CHUNK_BYTES = 256 * 1024

export interface WindowLimits {
  readonly offset: number
  readonly limit: number
  readonly maxBytes: number
}

/** Undefined if the file is not UTF-8 text. Reads up to the size of the file at its opening, so a growing file ends too. */
export const readLines = async (handle: FileHandle, limits: WindowLimits, signal: AbortSignal): Promise<LineWindow | undefined> => {
  const { size, read } = await sizedReader(handle)
  const window = new WindowReader(limits)
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  for (let position = 0; position < size && !signal.aborted; ) {
    const bytesRead = await read(chunk, Math.min(CHUNK_BYTES, size - position), position)
    if (bytesRead === 0) break
    position += bytesRead
    if (!window.add(chunk.subarray(0, bytesRead), position >= size)) return undefined
  }
  return window.end()
}

/** The same of bytes in memory. */
export const windowOf = (bytes: Buffer, limits: WindowLimits): LineWindow | undefined => {
  const window = new WindowReader(limits)
  return window.add(bytes, true) ? window.end() : undefined
}

class WindowReader {
  readonly #limits: WindowLimits
  readonly #hash = createHash('sha256')
  readonly #kept: Buffer[] = []
  #keptBytes = 0
  #lines = 0
  /** Of the last line of the window, which has not ended yet. */
  #lineBytes = 0
  #isCut = false
  #isFull = false
  #newlines = 0
  #endsWithNewline = true
  /** The beginning of a character whose other bytes are in the next chunk. */
  #tail: Buffer = Buffer.alloc(0)

  constructor(limits: WindowLimits) {
    this.#limits = limits
  }

  /** False: it is not text. */
  add(bytes: Buffer, isLast: boolean): boolean {
    const whole = Buffer.concat([this.#tail, bytes])
    const until = isLast ? whole.length : lastBoundary(whole)
    if (isBinary(bytes) || !isUtf8(whole.subarray(0, until))) return false
    this.#tail = Buffer.from(whole.subarray(until))
    this.#hash.update(bytes)
    this.#take(bytes)
    this.#endsWithNewline = bytes.at(-1) === 10
    return true
  }

  end(): LineWindow {
    const bytes = Buffer.concat(this.#kept)
    return {
      text: bytes.toString('utf8', 0, this.#isCut ? lastBoundary(bytes) : bytes.length),
      lines: this.#lines + (this.#lineBytes > 0 ? 1 : 0),
      isCut: this.#isCut,
      totalLines: this.#newlines + (this.#endsWithNewline ? 0 : 1),
      sha256: this.#hash.digest('hex'),
    }
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#kept.push(Buffer.from(bytes))
    this.#keptBytes += bytes.length
  }

  // Outside the window, newlines are only counted.
  #take(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length) {
      const newline = bytes.indexOf(10, at)
      const end = newline < 0 ? bytes.length : newline + 1
      if (this.#newlines >= this.#limits.offset && !this.#isFull) this.#takePart(bytes.subarray(at, end), newline >= 0)
      if (newline >= 0) this.#newlines++
      at = end
    }
  }

  // A line that does not fit is dropped, unless it is the first of the window.
  #takePart(part: Buffer, isEnd: boolean): void {
    if (this.#keptBytes + part.length > this.#limits.maxBytes) {
      const isFirst = this.#keptBytes === this.#lineBytes
      if (isFirst) this.#keep(part.subarray(0, this.#limits.maxBytes - this.#keptBytes))
      else this.#drop(this.#lineBytes)
      if (isFirst) this.#lines++
      this.#lineBytes = 0
      this.#isCut = true
      this.#isFull = true
      return
    }
    this.#keep(part)
    this.#lineBytes += part.length
    if (!isEnd) return
    this.#lineBytes = 0
    this.#lines++
    if (this.#lines === this.#limits.limit) this.#isFull = true
  }

  #drop(bytes: number): void {
    let rest = bytes
    while (rest > 0) {
      const last = this.#kept.pop() as Buffer
      if (last.length > rest) this.#kept.push(last.subarray(0, last.length - rest))
      rest -= Math.min(rest, last.length)
    }
    this.#keptBytes -= bytes
  }
}

/** The offset after the last complete UTF-8 character. */
const lastBoundary = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) return bytes.length
    if (byte >= 0xc0) {
      const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      return needs > back ? bytes.length - back : bytes.length
    }
  }
  return bytes.length
}
