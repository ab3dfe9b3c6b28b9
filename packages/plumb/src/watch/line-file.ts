// A file that grows by lines while a run goes on: many to a write, and each there soon after.

import { appendFileSync, closeSync, existsSync, openSync, readSync, statSync, writeFileSync } from 'node:fs'
import { type Fault, fault, type Result, succeed, systemReason } from '@plumb/wire'

export interface LineFileOptions {
  readonly path: string
  /** It goes on behind what is there. */
  readonly isAppended?: boolean
  /** So long may a line wait; 0: until the running callbacks are done. */
  readonly delayMs: number
  /** `write_failed`, once; later lines are dropped. */
  readonly fail: (fault: Fault) => void
}

export interface LineFile {
  /** One line, without its end. */
  add(line: Uint8Array | string): void
  /** Bytes that end no line. */
  addPiece(piece: Uint8Array): void
  flush(): void
}

const FLUSH_BYTES = 64 * 1024
const LF = Buffer.from('\n')

/** The file is made, or made empty, at once. No descriptor stays open. */
export const openLineFile = (options: LineFileOptions): Result<LineFile> => {
  const { path, isAppended = false, delayMs, fail } = options
  try {
    writeFileSync(path, isAppended && isTorn(path) ? '\n' : '', { flag: isAppended ? 'a' : 'w' })
  } catch (error) {
    return { ok: false, error: fault('file_not_found', `cannot write to '${path}': ${systemReason(error as NodeJS.ErrnoException)}`) }
  }
  let waiting: Uint8Array[] = []
  let bytes = 0
  let isScheduled = false
  let isBroken = false

  const flush = (): void => {
    if (bytes === 0 || isBroken) return
    const chunk = Buffer.concat(waiting, bytes)
    waiting = []
    bytes = 0
    try {
      appendFileSync(path, chunk)
    } catch (error) {
      isBroken = true
      fail(fault('write_failed', `cannot write to '${path}': ${systemReason(error as NodeJS.ErrnoException)}`, { path }))
    }
  }
  const schedule = (): void => {
    isScheduled = true
    const later = () => {
      isScheduled = false
      flush()
    }
    if (delayMs === 0) setImmediate(later)
    else setTimeout(later, delayMs).unref()
  }
  const addPiece = (piece: Uint8Array): void => {
    if (isBroken) return
    waiting.push(piece)
    bytes += piece.length
    if (bytes >= FLUSH_BYTES) flush()
    else if (!isScheduled) schedule()
  }
  return succeed({
    add: (line) => {
      addPiece(typeof line === 'string' ? Buffer.from(line) : line)
      addPiece(LF)
    },
    addPiece,
    flush,
  })
}

// Whoever wrote it was killed in the middle of a line.
const isTorn = (path: string): boolean => {
  if (!existsSync(path)) return false
  const { size } = statSync(path)
  if (size === 0) return false
  const last = Buffer.alloc(1)
  const fd = openSync(path, 'r')
  readSync(fd, last, 0, 1, size - 1)
  closeSync(fd)
  return !last.equals(LF)
}
