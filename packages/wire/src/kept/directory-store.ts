// Answers in a directory, in which each writing process has two files of its own: NAME.jsonl with a line for each answer, and NAME.index
// with their offsets, so that a large file is not read when it is opened. Answers missing in the index are at the end: their writer was
// stopped.

import { randomUUID } from 'node:crypto'
import { appendFileSync, closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { ensureDirectory } from '../ensure-directory.js'
import { type Fault, fault } from '../error.js'
import { fail, type Result, succeed } from '../result.js'
import { systemReason } from '../system-reason.js'
import { type EntryKey, readEntry, writeEntry } from './entry.js'
import { DIRECTORY_MODE, FILE_MODE, MAX_ENTRY_BYTES, type Store } from './store.js'

interface Place extends EntryKey {
  readonly path: string
  readonly offset: number
  readonly bytes: number
}

/** Creates a missing directory; one in a record, with its first answer. */
export const openDirectoryStore = (directory: string, isRecord: boolean): Result<Store> => {
  const byHash = new Map<string, Place[]>()
  try {
    if (!isRecord) ensureDirectory(directory, DIRECTORY_MODE)
    for (const name of namesIn(directory)) for (const place of placesIn(join(directory, name))) add(byHash, place)
  } catch (error) {
    return fail('file_not_found', `cannot keep answers in '${directory}': ${systemReason(error as NodeJS.ErrnoException)}`)
  }
  const append = openAppender(directory)
  const at = (key: EntryKey): Place | undefined => byHash.get(key.hash)?.find((place) => isSame(place, key))
  return succeed({
    keysOf: (hash) => byHash.get(hash) ?? [],
    read: (key) => {
      const place = at(key)
      const entry = place && readEntry(textAt(place))
      return entry && entry.hash === key.hash && isSame(entry, key) ? entry : undefined
    },
    put: (entry) => append(entry, writeEntry(entry)),
  })
}

const isSame = (a: EntryKey, b: EntryKey): boolean => a.place === b.place && a.nth === b.nth

// If two runs requested the same at once, the answers of both files count.
const add = (byHash: Map<string, Place[]>, place: Place): void => {
  const equal = byHash.get(place.hash)
  if (!equal) byHash.set(place.hash, [place])
  else {
    const same = equal.findIndex((other) => isSame(other, place))
    if (same < 0) equal.push(place)
    else equal[same] = place
  }
}

const LINES = '.jsonl'

const namesIn = (directory: string): string[] => {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(LINES))
      .sort()
      .map((name) => name.slice(0, -LINES.length))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

const placesIn = (base: string): Place[] => {
  const path = `${base}${LINES}`
  const places = indexOf(`${base}.index`).flatMap((line) => readIndexLine(line, path) ?? [])
  const last = places.at(-1)
  return [...places, ...unindexed(path, last ? last.offset + last.bytes + 1 : 0)]
}

// Without an index, all answers are read.
const indexOf = (path: string): readonly string[] => {
  try {
    return readFileSync(path, 'latin1').split('\n').slice(0, -1)
  } catch {
    return []
  }
}

const INDEX_LINE = /^([0-9a-f]{64}) (\d{1,15}) (\d{1,15}) (\d{1,15}) (\S+)$/

const readIndexLine = (line: string, path: string): Place | undefined => {
  const [, hash, nth, offset, bytes, place] = INDEX_LINE.exec(line) ?? []
  if (hash === undefined || place === undefined) return undefined
  return { hash, nth: Number(nth), place, path, offset: Number(offset), bytes: Number(bytes) }
}

const unindexed = (path: string, from: number): Place[] => {
  const { size } = statSync(path)
  const text = size > from ? bytesAt(path, from, Math.min(size - from, MAX_ENTRY_BYTES)) : Buffer.alloc(0)
  const places: Place[] = []
  for (let start = 0, end = text.indexOf(LF); end >= 0; start = end + 1, end = text.indexOf(LF, start)) {
    const entry = readEntry(text.toString('utf8', start, end))
    if (entry) places.push({ hash: entry.hash, nth: entry.nth, place: entry.place, path, offset: from + start, bytes: end - start })
  }
  return places
}

const LF = 10

const bytesAt = (path: string, offset: number, bytes: number): Buffer => {
  const fd = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(Math.min(bytes, Math.max(0, fstatSync(fd).size - offset)))
    return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, offset))
  } finally {
    closeSync(fd)
  }
}

// Unreadable answers are requested again.
const textAt = ({ path, offset, bytes }: Place): string => {
  try {
    return bytes > MAX_ENTRY_BYTES ? '' : bytesAt(path, offset, bytes).toString('utf8')
  } catch {
    return ''
  }
}

/** The files of this process, created with its first answer. */
const openAppender = (directory: string): ((key: EntryKey, line: string) => Fault | undefined) => {
  // In order of time, so that a later answer counts.
  const base = join(directory, `${Date.now().toString(36).padStart(9, '0')}-${randomUUID()}`)
  const path = `${base}${LINES}`
  let offset = 0
  let isIndexed = true
  const index = ({ hash, nth, place }: EntryKey, bytes: number): void => {
    try {
      if (isIndexed) appendFileSync(`${base}.index`, `${hash} ${nth} ${offset} ${bytes} ${place}\n`, { mode: FILE_MODE })
    } catch {
      // From here on the answers themselves are read.
      isIndexed = false
    }
  }
  return (key, line) => {
    try {
      if (offset === 0) ensureDirectory(directory, DIRECTORY_MODE)
      appendFileSync(path, `${line}\n`, { mode: FILE_MODE })
    } catch (error) {
      takeBack(path, offset)
      const reason = systemReason(error as NodeJS.ErrnoException)
      return fault('write_failed', `an answer cannot be kept in '${directory}': ${reason}; it will be asked for again`, { path: directory })
    }
    const bytes = Buffer.byteLength(line)
    index(key, bytes)
    offset += bytes + 1
    return undefined
  }
}

// An incomplete line: the disk was nearly full.
const takeBack = (path: string, size: number): void => {
  try {
    truncateSync(path, size)
  } catch {
    // It did not exist yet.
  }
}
