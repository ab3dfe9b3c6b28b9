// Lines of large files: where those are that may be wanted, and one of them.

import { closeSync, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { scanLines } from '@plumb/wire'

export interface Span {
  readonly offset: number
  readonly bytes: number
}

/** A longer line is not read. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

/** Calls `take` with the beginning of each line. A file that cannot be read, or is none, has no lines. */
export const eachLine = (path: string, maxBytes: number, take: (head: Buffer, span: Span) => void): void => {
  withFile(path, (fd) =>
    scanLines(fd, { from: 0, to: fstatSync(fd).size, maxBytes }, (line, offset, bytes) => {
      take(line, { offset, bytes })
      return true
    }),
  )
}

/** Undefined: it cannot be read. */
export const lineAt = (path: string, { offset, bytes }: Span): string | undefined => {
  if (bytes > MAX_LINE_BYTES) return undefined
  return withFile(path, (fd) => {
    const buffer = Buffer.alloc(bytes)
    return readSync(fd, buffer, 0, bytes, offset) === bytes ? buffer.toString('utf8') : undefined
  })
}

// A record may come from anywhere: whatever is no file could keep its reader waiting.
const withFile = <T>(path: string, use: (fd: number) => T): T | undefined => {
  let fd: number | undefined
  try {
    if (!lstatSync(path).isFile()) return undefined
    fd = openSync(path, 'r')
    return use(fd)
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

export const parseObject = (line: string | undefined): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(line ?? '')
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
