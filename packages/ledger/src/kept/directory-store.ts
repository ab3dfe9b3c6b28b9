// Answers in a directory, in which each writing process has two files of its own: NAME.jsonl with a line for each answer, and NAME.index
// with their offsets, so that a large file is not read when it is opened. Answers missing in the index are at the end: their writer was
// stopped.

import { randomUUID } from 'node:crypto'
import { appendFileSync, closeSync, constants, ftruncateSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, fail, fault, isAbsent, type Result, succeed, systemReason } from '@plumb/wire'
import { atOwnPath, inOwnDirectory, openOwnFile } from '@plumb/wire/output'
import { type EntryKey, type KeptEntry, writeEntry } from './entry.js'
import { EntryFile } from './entry-file.js'
import { entryLine } from './entry-index.js'
import { EntryTable } from './entry-table.js'
import { DIRECTORY_MODE, FILE_MODE, type Store } from './store.js'

/** Creates a missing directory; one in a record, with its first answer. */
export const openDirectoryStore = (directory: string, isRecord: boolean): Result<Store> => {
  const table = new EntryTable()
  const files: EntryFile[] = []
  const load = (file: number): void =>
    files[file]?.load(
      (entry) => table.add({ ...entry, file }),
      () => table.removeFile(file),
    )
  try {
    if (!isRecord) makeStoreDirectory(directory)
    for (const name of namesIn(directory)) {
      const base = join(directory, name)
      load(files.push(new EntryFile(base, atOwnPath(`${base}${LINES}`, (at) => lstatSync(at)).size)) - 1)
    }
  } catch (error) {
    return fail('file_not_found', `cannot keep answers in '${directory}': ${systemReason(error as NodeJS.ErrnoException)}`)
  }
  // Entries that cannot be read are asked again.
  const reload = (file: number): void => {
    table.removeFile(file)
    try {
      load(file)
    } catch {}
  }
  const read = (key: EntryKey): KeptEntry | undefined => {
    for (const place of table.at(key)) {
      const entry = files[place.file]?.entryAt(place)
      if (entry === 'elsewhere') {
        reload(place.file)
        return read(key)
      }
      if (entry) return entry
    }
    return undefined
  }
  // The table has the beginning of a hash, and the entry all of it.
  function* keys(): Iterable<EntryKey> {
    for (const place of table.all()) {
      const hash = files[place.file]?.hashAt(place)
      if (hash !== undefined) yield { ...place, hash }
    }
  }
  const add = openAppender(directory)
  return succeed({ keys, keysOf: (hash) => distinct(table.of(hash)), read, put: (entry) => add(entry, writeEntry(entry)) })
}

// If two runs requested the same at once, both files have the key.
const distinct = (keys: readonly EntryKey[]): readonly EntryKey[] => [
  ...new Map(keys.map((key) => [`${key.nth} ${key.place}`, key])).values(),
]

const LINES = '.jsonl'

const namesIn = (directory: string): string[] => {
  try {
    return inOwnDirectory(directory, (at) => readdirSync(`${at}/.`))
      .filter((name) => name.endsWith(LINES))
      .sort()
      .map((name) => name.slice(0, -LINES.length))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

const makeDirectory = (directory: string): void => inOwnDirectory(directory, () => {}, { isMade: true, mode: DIRECTORY_MODE })

/** By this file tools know such a directory, and write nothing in it. */
const MARK = '.plumb-answers'

/** Throws if it cannot be made. */
export const makeStoreDirectory = (directory: string): void => {
  makeDirectory(directory)
  try {
    closeSync(openOwnFile(join(directory, MARK), constants.O_WRONLY | constants.O_CREAT, FILE_MODE))
  } catch {
    // It may be read alone.
  }
}

const append = (path: string, text: string): void => {
  const fd = openOwnFile(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, FILE_MODE)
  try {
    appendFileSync(fd, text)
  } finally {
    closeSync(fd)
  }
}

/** Of this process: its files are made with its first answer. */
const openAppender = (directory: string): ((key: EntryKey, line: string) => Fault | undefined) => {
  let base = freshBase(directory)
  let offset = 0
  let isIndexed = true
  const index = ({ hash, nth, place }: EntryKey, bytes: number): void => {
    try {
      if (isIndexed) append(`${base}.index`, entryLine({ hash, nth, place, offset, bytes }))
    } catch {
      // From here on the answers themselves are read.
      isIndexed = false
    }
  }
  return (key, line) => {
    try {
      if (offset === 0) makeDirectory(directory)
      append(`${base}${LINES}`, `${line}\n`)
    } catch (error) {
      if (!isTakenBack(`${base}${LINES}`, offset)) {
        base = freshBase(directory)
        offset = 0
      }
      const reason = systemReason(error as NodeJS.ErrnoException)
      return fault('write_failed', `an answer cannot be kept in '${directory}': ${reason}; it will be asked for again`, { path: directory })
    }
    const bytes = Buffer.byteLength(line)
    index(key, bytes)
    offset += bytes + 1
    return undefined
  }
}

// Names sort by time, so that the later of two answers counts.
const freshBase = (directory: string): string => join(directory, `${Date.now().toString(36).padStart(9, '0')}-${randomUUID()}`)

// Removes a part of a line that a full disk left. False: it is still there, and a line appended to it could not be read.
const isTakenBack = (path: string, size: number): boolean => {
  try {
    const fd = openOwnFile(path, constants.O_WRONLY)
    try {
      ftruncateSync(fd, size)
    } finally {
      closeSync(fd)
    }
    return true
  } catch {
    return isAbsent(path)
  }
}
