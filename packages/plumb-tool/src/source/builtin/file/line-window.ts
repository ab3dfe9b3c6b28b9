// Reads a window of lines of a file of any size, in chunks and bounded memory.

import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
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

/** Undefined if the file is no UTF-8 text. Reads up to the size of the file at its opening, so a growing file ends too. */
export const readLines = async (
  handle: FileHandle,
  { offset, limit, maxBytes }: { offset: number; limit: number; maxBytes: number },
  signal: AbortSignal,
): Promise<LineWindow | undefined> => {
  const { size } = await handle.stat()
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  const kept: Buffer[] = []
  const window = { keptBytes: 0, lines: 0, isCut: false, isFull: false }
  let newlines = 0
  let endsWithNewline = true
  let tail: Buffer = Buffer.alloc(0)

  const keep = (bytes: Buffer): void => {
    if (bytes.length === 0) return
    kept.push(Buffer.from(bytes))
    window.keptBytes += bytes.length
  }

  // Outside the window, newlines are only counted.
  const take = (bytes: Buffer): void => {
    let at = 0
    while (at < bytes.length) {
      const newline = bytes.indexOf(10, at)
      const end = newline < 0 ? bytes.length : newline + 1
      if (newlines >= offset && !window.isFull) takePart(bytes.subarray(at, end), newline >= 0)
      if (newline >= 0) newlines++
      at = end
    }
  }

  // A line that does not fit is dropped, unless it is the first of the window.
  let lineBytes = 0
  const takePart = (part: Buffer, isEnd: boolean): void => {
    if (window.keptBytes + part.length > maxBytes) {
      const isFirst = window.keptBytes === lineBytes
      if (isFirst) keep(part.subarray(0, maxBytes - window.keptBytes))
      else drop(lineBytes)
      if (isFirst) window.lines++
      lineBytes = 0
      window.isCut = true
      window.isFull = true
      return
    }
    keep(part)
    lineBytes += part.length
    if (!isEnd) return
    lineBytes = 0
    window.lines++
    if (window.lines === limit) window.isFull = true
  }

  const drop = (bytes: number): void => {
    let rest = bytes
    while (rest > 0) {
      const last = kept.pop() as Buffer
      if (last.length > rest) kept.push(last.subarray(0, last.length - rest))
      rest -= Math.min(rest, last.length)
    }
    window.keptBytes -= bytes
  }

  for (let position = 0; position < size && !signal.aborted; ) {
    const { bytesRead } = await handle.read(chunk, 0, Math.min(CHUNK_BYTES, size - position), position)
    if (bytesRead === 0) break
    position += bytesRead
    const bytes = chunk.subarray(0, bytesRead)
    const whole = Buffer.concat([tail, bytes])
    const isLast = position >= size
    const until = isLast ? whole.length : lastBoundary(whole)
    if (isBinary(bytes) || !isUtf8(whole.subarray(0, until))) return undefined
    tail = Buffer.from(whole.subarray(until))
    hash.update(bytes)
    take(bytes)
    endsWithNewline = bytes[bytesRead - 1] === 10
  }
  if (lineBytes > 0) window.lines++
  const bytes = Buffer.concat(kept)
  const text = bytes.toString('utf8', 0, window.isCut ? lastBoundary(bytes) : bytes.length)
  return { text, lines: window.lines, isCut: window.isCut, totalLines: newlines + (endsWithNewline ? 0 : 1), sha256: hash.digest('hex') }
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
