// A file of lines that several processes share: each appends to it, and reads what all have appended.

import { readSync, writeSync } from 'node:fs'

export interface Ledger {
  append(line: string): void
  /** Undefined: there are no more now. */
  next(): string | undefined
}

const CHUNK_BYTES = 4096
const LF = 10

/** `fd`: open for appending, at its end, and for reading; `from` so many bytes on. */
export const openLedger = (fd: number, from = 0): Ledger => {
  const chunk = Buffer.alloc(CHUNK_BYTES)
  let at = from
  let rest = Buffer.alloc(0)
  const fill = (): boolean => {
    const bytes = readSync(fd, chunk, 0, CHUNK_BYTES, at)
    at += bytes
    rest = Buffer.concat([rest, chunk.subarray(0, bytes)])
    return bytes > 0
  }
  return {
    append: (line) => void writeSync(fd, `${line}\n`),
    next: () => {
      let end = rest.indexOf(LF)
      while (end < 0 && fill()) end = rest.indexOf(LF)
      if (end < 0) return undefined
      const line = rest.toString('utf8', 0, end)
      rest = rest.subarray(end + 1)
      return line
    },
  }
}
