// A file of lines that several processes share: each appends to it, and reads what all have appended.

import { closeSync, readSync, writeSync } from 'node:fs'
import { openAnonymousLog } from './anonymous-file.js'

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

/** Lines that a child appends to a descriptor, and its parent reads when it wants to: a file without a name, so that neither waits. */
export interface LineLog {
  readonly fd: number
  /** Undefined: there are no more by now. */
  next(): string | undefined
  close(): void
}

/** Throws where no file can be made. */
export const openLineLog = (): LineLog => {
  const fd = openAnonymousLog()
  const ledger = openLedger(fd)
  return { fd, next: () => ledger.next(), close: () => closeSync(fd) }
}

/** The child's end. */
export const joinLineLog = (fd: number): ((line: string) => void) => {
  const ledger = openLedger(fd)
  return (line) => ledger.append(line)
}
