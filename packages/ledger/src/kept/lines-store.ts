// Answers as JSON Lines, with their requests: a file beside a spec, readable by people. It is loaded when it is opened; new answers are
// appended, each as one write, so that lines of several processes do not mix.

import { appendFileSync, closeSync, constants, fstatSync, readFileSync, readSync } from 'node:fs'
import { fail, fault, type Result, succeed, systemReason } from '@plumb/wire'
import { openOwnFile } from '@plumb/wire/output'
import { isSameKey, type KeptEntry, readEntry, writeEntry } from './entry.js'
import { nearestRequest } from './nearest-request.js'
import { FILE_MODE, type Store } from './store.js'

/** Bytes of the whole file, which is held in memory. */
const MAX_FILE_BYTES = 256 * 1024 * 1024

/** An incomplete line is skipped, and its request is made again. */
export const openLinesStore = (path: string): Result<Store> => {
  const text = textOf(path)
  if (!text.ok) return text
  const entries = text.value.split('\n').flatMap((line) => readEntry(line) ?? [])
  const byHash = new Map<string, KeptEntry[]>()
  for (const entry of entries) {
    const equal = byHash.get(entry.hash)
    if (!equal) byHash.set(entry.hash, [entry])
    else if (!equal.some((other) => isSameKey(other, entry))) equal.push(entry)
  }
  return succeed({
    keys: () => [...byHash.values()].flat(),
    keysOf: (hash) => byHash.get(hash) ?? [],
    read: (key) => byHash.get(key.hash)?.find((entry) => isSameKey(entry, key)),
    put: (entry) => {
      try {
        append(path, `${writeEntry(entry)}\n`)
        return undefined
      } catch (error) {
        const reason = systemReason(error as NodeJS.ErrnoException)
        return fault('write_failed', `an answer cannot be kept in '${path}': ${reason}; it will be asked for again`, { path })
      }
    },
    nearest: (request) => {
      const found = nearestRequest(
        request,
        entries.map((entry) => entry.request),
      )
      const key = found && entries[found.index]
      return found && key && { ...found, key }
    },
  })
}

const textOf = (path: string): Result<string> => {
  let fd: number | undefined
  try {
    fd = openOwnFile(path, constants.O_RDONLY)
    if (fstatSync(fd).size > MAX_FILE_BYTES)
      return fail('too_large', `'${path}' is larger than ${MAX_FILE_BYTES} bytes: keep the answers in a directory`)
    return succeed(readFileSync(fd, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return succeed('')
    return fail('file_not_found', `cannot read the answers in '${path}': ${systemReason(error as NodeJS.ErrnoException)}`)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

const append = (path: string, line: string): void => {
  const fd = openOwnFile(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, FILE_MODE)
  try {
    appendFileSync(fd, `${isTorn(fd) ? '\n' : ''}${line}`)
  } finally {
    closeSync(fd)
  }
}

const LF = 10

// A process was killed, or the disk was full, in the middle of a line.
const isTorn = (fd: number): boolean => {
  const { size } = fstatSync(fd)
  const last = Buffer.alloc(1)
  return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== LF
}
