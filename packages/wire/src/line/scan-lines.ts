// Reads the lines of a file of any size, in chunks: memory is bounded by the longest line, or by a limit.

import { readSync } from 'node:fs'

export interface ScanRange {
  /** Byte offsets: the first, and the one after the last. */
  readonly from: number
  readonly to: number
  /** Longer lines are cut to this. */
  readonly maxBytes: number
}

/** Gets the line without its end, valid during the call, with its offset and uncut length. Returns false to stop. */
type TakeLine = (line: Buffer, offset: number, bytes: number) => boolean | undefined

const CHUNK_BYTES = 256 * 1024
const LF = 10

/** Calls `take` for each line with a line end. Throws read errors. */
export const scanLines = (fd: number, { from, to, maxBytes }: ScanRange, take: TakeLine): void => {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(0, to - from)))
  let begun: Buffer[] = []
  let begunBytes = 0
  let lineAt = from
  for (let at = from; at < to; ) {
    const read = chunk.subarray(0, readSync(fd, chunk, 0, Math.min(chunk.length, to - at), at))
    if (read.length === 0) return
    let start = 0
    for (let end = read.indexOf(LF); end >= 0; end = read.indexOf(LF, start)) {
      const bytes = at + end - lineAt
      const part = read.subarray(start, Math.min(end, start + maxBytes - begunBytes))
      const line = begun.length === 0 ? part : Buffer.concat([...begun, part])
      if (take(line, lineAt, bytes) === false) return
      begun = []
      begunBytes = 0
      start = end + 1
      lineAt = at + start
    }
    const rest = Buffer.from(read.subarray(start, start + maxBytes - begunBytes))
    if (rest.length > 0) begun.push(rest)
    begunBytes += rest.length
    at += read.length
  }
}
