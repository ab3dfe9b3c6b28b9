// What was said before, kept in a file for the arrow keys: one JSON string a line, the oldest first, for its owner alone.

import { closeSync, constants, fchmodSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { fail, preview, type Result, succeed, systemReason } from '@plumb/wire'

export interface History {
  /** The newest first. */
  readonly entries: readonly string[]
  /** Not kept: what begins with a space, what was said just before, and what is longer than `MAX_ENTRY` characters. */
  add(entry: string): void
}

/** So many are read back, and the file is never twice as long. */
export const MAX_ENTRIES = 1000
const MAX_ENTRY = 10_000
const MAX_FILE_BYTES = 64 * 1024 * 1024

/** As the XDG base directory specification has it; undefined where there is no home. */
export const historyFile = ({ XDG_STATE_HOME = '', HOME = '' }: NodeJS.ProcessEnv): string | undefined => {
  // A relative path is to be ignored.
  const state = isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : isAbsolute(HOME) ? join(HOME, '.local/state') : undefined
  return state === undefined ? undefined : join(state, 'plumb', 'chat-history')
}

/** A file that cannot be used is told once, and the conversation goes on without it. */
export const openHistory = (path: string): Result<History> => {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const kept = readEntries(path)
    if (kept.length >= 2 * MAX_ENTRIES) rewrite(path, kept.slice(-MAX_ENTRIES))
    const entries = kept.slice(-MAX_ENTRIES).reverse()
    return succeed({
      entries,
      add: (entry) => {
        if (entry.startsWith(' ') || entry.length > MAX_ENTRY || entry === entries[0]) return
        push(entries, entry)
        try {
          append(path, [entry])
        } catch {
          // The disk is full, or the folder is gone: what is said matters more than that it is kept.
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

/** Of this conversation alone. */
export const forgetfulHistory = (): History => {
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
    if (!stat.isFile()) throw Object.assign(new Error('it is no regular file'), { code: 'EINVAL' })
    fchmodSync(fd, 0o600)
    return stat.size > MAX_FILE_BYTES ? [] : readFileSync(fd, 'utf8').split('\n').flatMap(readEntry)
  } finally {
    closeSync(fd)
  }
}

// A line that was cut by a full disk, or is not ours, is passed over.
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
