// Earlier messages for the arrow keys, in a file that only its owner can read: one JSON string a line, the oldest first.

import { closeSync, constants, fchmodSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { fail, preview, type Result, succeed, systemReason } from '@plumb/wire'

export interface History {
  /** The newest first. */
  readonly entries: readonly string[]
  /** Does not keep an entry that begins with a space, repeats the last one, or is longer than `MAX_ENTRY_CHARS`. */
  add(entry: string): void
}

/** Entries that are read back; the file is cut to this number when it holds twice as many. */
export const MAX_ENTRIES = 1000
const MAX_ENTRY_CHARS = 10_000
const MAX_FILE_BYTES = 64 * 1024 * 1024

/** The path that the XDG base directory specification gives; undefined when there is no home directory. */
export const historyFile = ({ XDG_STATE_HOME = '', HOME = '' }: NodeJS.ProcessEnv): string | undefined => {
  // The specification says to ignore a relative path.
  const state = isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : isAbsolute(HOME) ? join(HOME, '.local/state') : undefined
  return state === undefined ? undefined : join(state, 'plumb', 'chat-history')
}

/** Fails when the file cannot be used; the caller reports that once and continues without it. */
export const openHistory = (path: string): Result<History> => {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const stored = readEntries(path)
    if (stored.length >= 2 * MAX_ENTRIES) rewrite(path, stored.slice(-MAX_ENTRIES))
    const entries = stored.slice(-MAX_ENTRIES).reverse()
    return succeed({
      entries,
      add: (entry) => {
        if (entry.startsWith(' ') || entry.length > MAX_ENTRY_CHARS || entry === entries[0]) return
        push(entries, entry)
        try {
          append(path, [entry])
        } catch {
          // The disk is full, or the directory no longer exists: the conversation matters more than its history.
        }
      },
    })
  } catch (error) {
    return fail('file_not_found', `no history is kept: '${preview(path, 200)}': ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}

const push = (entries: string[], entry: string): void => {
  if (entries.unshift(entry) > MAX_ENTRIES) entries.pop()
}

/** A history of this conversation alone. */
export const inMemoryHistory = (): History => {
  const entries: string[] = []
  const add = (entry: string): void => {
    if (entry !== entries[0]) push(entries, entry)
  }
  return { entries, add }
}

const readEntries = (path: string): string[] => {
  const fd = openSync(path, constants.O_RDONLY | constants.O_CREAT | constants.O_NONBLOCK, 0o600)
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile()) throw Object.assign(new Error('it is not a regular file'), { code: 'EINVAL' })
    fchmodSync(fd, 0o600)
    return stat.size > MAX_FILE_BYTES ? [] : readFileSync(fd, 'utf8').split('\n').flatMap(readEntry)
  } finally {
    closeSync(fd)
  }
}

// Skips a line that a full disk has cut, or that another program has written.
const readEntry = (line: string): string[] => {
  try {
    const entry: unknown = JSON.parse(line)
    return typeof entry === 'string' ? [entry] : []
  } catch {
    return []
  }
}

// One write a line, at the end: several conversations may keep one file.
const append = (path: string, entries: readonly string[]): void => {
  const fd = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK, 0o600)
  try {
    writeSync(fd, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
  } finally {
    closeSync(fd)
  }
}

const rewrite = (path: string, entries: readonly string[]): void => {
  const temporary = `${path}.${process.pid}`
  rmSync(temporary, { force: true })
  append(temporary, entries)
  renameSync(temporary, path)
}
