// A file to which a run appends lines: many in a write, each soon after it was added.

import { closeSync, constants, fstatSync, ftruncateSync, readSync, writeSync } from 'node:fs'
import { type Fault, fault, type Result, succeed, systemReason } from '@plumb/wire'
import { openOwnFile } from '@plumb/wire/output'

export interface LineFileOptions {
  readonly path: string
  /** Lines are appended to the content of the file. */
  readonly isAppended?: boolean
  /** The longest time that a line waits; 0: until the running callbacks are done. */
  readonly delayMs: number
  /** `write_failed`, once; later lines are dropped. */
  readonly fail: (fault: Fault) => void
  /** If the disk is full, the first of these is emptied, then the next; lines without space even then wait. */
  readonly spare?: LineFile[]
  /** If the disk is full it is emptied, for more important files. */
  readonly isSpared?: boolean
}

export interface LineFile {
  /** One line, without its end. */
  add(line: Uint8Array | string): void
  /** A part of a line. */
  addPiece(piece: Uint8Array): void
  flush(): void
  /** Empties it for good, for a more important file. */
  giveRoomTo(path: string): void
}

const FLUSH_BYTES = 64 * 1024
/** Maximum characters of lines that wait for space on the disk. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024
const LF = Buffer.from('\n')
const { O_APPEND, O_CREAT, O_RDONLY, O_TRUNC, O_WRONLY } = constants

/** Creates or empties the file at once. No descriptor stays open. */
export const openLineFile = (options: LineFileOptions): Result<LineFile> => {
  const { path, isAppended = false, delayMs, fail, spare, isSpared = false } = options
  try {
    begin(path, isAppended)
  } catch (error) {
    return { ok: false, error: fault('file_not_found', `cannot write to '${path}': ${systemReason(error as NodeJS.ErrnoException)}`) }
  }
  let waiting: Uint8Array[] = []
  let bytes = 0
  let isScheduled = false
  let hasFailed = false
  let isBroken = false
  let isEmptied = false

  const failWith = (detail: string): void => {
    hasFailed = true
    fail(fault('write_failed', detail, { path }))
  }
  const giveRoom = (reason: string): void => {
    if (isEmptied) return
    isBroken = true
    isEmptied = true
    empty(path)
    failWith(`the disk is full: '${path}' was emptied, so that ${reason} room`)
  }
  const flush = (): void => {
    if (bytes === 0 || isBroken) return
    const chunk = Buffer.concat(waiting, bytes)
    waiting = []
    bytes = 0
    const { written, error } = append(path, chunk, () => makeRoom(spare ?? [], path))
    if (!error) return
    const isKept = isFull(error) && spare !== undefined && chunk.length < MAX_WAITING_BYTES
    if (isKept) {
      // Another process may free space.
      waiting = [chunk.subarray(written)]
      bytes = chunk.length - written
    } else isBroken = true
    if (isFull(error) && isSpared) giveRoom('the answers have')
    else if (!hasFailed) failWith(`cannot write to '${path}': ${systemReason(error)}`)
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
    if (bytes >= FLUSH_BYTES && !hasFailed) flush()
    else if (!isScheduled) schedule()
  }
  return succeed({
    add: (line) => {
      addPiece(typeof line === 'string' ? Buffer.from(line) : line)
      addPiece(LF)
    },
    addPiece,
    flush,
    giveRoomTo: (other) => giveRoom(`'${other}' has`),
  })
}

// False: there is no file left to empty.
const makeRoom = (spare: LineFile[], path: string): boolean => {
  const file = spare.shift()
  file?.giveRoomTo(path)
  return file !== undefined
}

// A nearly full disk takes only a part of the chunk.
const append = (path: string, chunk: Buffer, hasMadeRoom: () => boolean): { written: number; error?: NodeJS.ErrnoException } => {
  let fd: number | undefined
  let written = 0
  try {
    fd = openOwnFile(path, O_WRONLY | O_APPEND | O_CREAT)
    while (written < chunk.length) {
      try {
        written += writeSync(fd, chunk, written)
      } catch (error) {
        if (!isFull(error as NodeJS.ErrnoException) || !hasMadeRoom()) throw error
      }
    }
    return { written }
  } catch (error) {
    return { written, error: error as NodeJS.ErrnoException }
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

const isFull = ({ code }: NodeJS.ErrnoException): boolean => code === 'ENOSPC' || code === 'EDQUOT'

const begin = (path: string, isAppended: boolean): void => {
  const fd = openOwnFile(path, O_WRONLY | O_CREAT | (isAppended ? O_APPEND : O_TRUNC))
  try {
    if (isAppended && isTorn(path)) writeSync(fd, LF)
  } finally {
    closeSync(fd)
  }
}

const empty = (path: string): void => {
  const fd = openOwnFile(path, O_WRONLY)
  ftruncateSync(fd)
  closeSync(fd)
}

// The run that wrote it was killed in the middle of a line.
const isTorn = (path: string): boolean => {
  const fd = openOwnFile(path, O_RDONLY)
  try {
    const { size } = fstatSync(fd)
    const last = Buffer.alloc(1)
    return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && !last.equals(LF)
  } finally {
    closeSync(fd)
  }
}
