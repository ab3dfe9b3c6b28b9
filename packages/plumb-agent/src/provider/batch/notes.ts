// What is written down of batches, so that a run that was stopped at any moment finds them again: lines in a directory, where each process has a
// file of its own.
//
//   {"batch":MARK,"at":PLACE,"newest":ID,"time":MS,"keys":[…]}   before it is sent: the questions in it, by their places
//   {"batch":MARK,"file":ID}                                     before it is made of this file
//   {"batch":MARK,"id":ID}                                       its provider has it
//   {"batch":MARK,"done":[[FROM,TO],…]}                          of these places the results were read, and kept
//
// `at` is the address of the API, `newest` the last batch that was there before.

import { randomUUID } from 'node:crypto'
import { closeSync, constants, fsyncSync, readdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, fault, isRecord, systemReason } from '@plumb/wire'
import { inOwnDirectory, openOwnFile, readOwnFile } from '@plumb/wire/output'

export interface NotedBatch {
  readonly mark: string
  /** The last batch of the account before this one was sent, if it was requested. */
  newest: string | undefined
  /** The time of the note, by our clock. */
  readonly timeMs: number
  /** The number of its requests. */
  readonly requests: number
  id: string | undefined
  file: string | undefined
}

export interface NotedPlace {
  readonly batch: NotedBatch
  readonly place: number
  /** Its answer was requested as { "value": T }. */
  readonly isWrapped: boolean
}

/** The key of a request, and its number among equal ones. */
export interface NotedKey {
  readonly key: string
  readonly isWrapped: boolean
}

export interface Notes {
  /** The batch in which it was last sent, if its result was not read. */
  find(key: string): NotedPlace | undefined
  /** That result was read, or will never come. */
  forget(key: string): void
  /** Call it before a batch is sent. A fault: it cannot be noted. */
  plan(batch: NotedBatch, keys: readonly (NotedKey | undefined)[]): Fault | undefined
  file(batch: NotedBatch, id: string): void
  made(batch: NotedBatch, id: string): void
  done(batch: NotedBatch, places: readonly number[]): void
}

/** `at`: notes about batches of other addresses are ignored. */
export const openNotes = (directory: string, at: string): Notes => {
  const found = new Map<string, NotedPlace>()
  const batches = new Map<string, ReadBatch>()
  for (const line of linesIn(directory)) readLine(line, at, { found, batches })
  const append = openAppender(directory)
  const tryAppend = (note: object): void => void append(note)
  return {
    find: (key) => found.get(key),
    forget: (key) => void found.delete(key),
    plan: ({ mark, newest, timeMs }, keys) =>
      append({ batch: mark, at, newest, time: timeMs, keys: keys.map((one) => one && (one.isWrapped ? [one.key] : one.key)) }),
    file: (batch, id) => {
      batch.file = id
      tryAppend({ batch: batch.mark, file: id })
    },
    made: (batch, id) => {
      batch.id = id
      tryAppend({ batch: batch.mark, id })
    },
    done: ({ mark }, places) => {
      if (places.length > 0) tryAppend({ batch: mark, done: rangesOf(places) })
    },
  }
}

/** For a run that keeps nothing. */
export const NO_NOTES: Notes = {
  find: () => undefined,
  forget: () => {},
  plan: () => undefined,
  file: (batch, id) => {
    batch.file = id
  },
  made: (batch, id) => {
    batch.id = id
  },
  done: () => {},
}

const EXTENSION = '.jsonl'

// In the order of time.
const linesIn = (directory: string): string[] => {
  try {
    const names = inOwnDirectory(directory, (at) => readdirSync(`${at}/.`)).filter((name) => name.endsWith(EXTENSION))
    return names.sort().flatMap((name) => readOwnFile(join(directory, name)).split('\n'))
  } catch {
    return []
  }
}

interface ReadBatch extends NotedBatch {
  readonly keys: readonly unknown[]
}

interface Read {
  readonly found: Map<string, NotedPlace>
  readonly batches: Map<string, ReadBatch>
}

const readLine = (line: string, here: string, { found, batches }: Read): void => {
  const note = parse(line)
  if (!isRecord(note) || typeof note.batch !== 'string') return
  const { batch: mark, at, newest, time, keys, id, file, done } = note
  if (Array.isArray(keys)) {
    if (at !== here) return
    const batch: ReadBatch = {
      mark,
      newest: textOf(newest),
      timeMs: Number(time),
      requests: keys.length,
      id: undefined,
      file: undefined,
      keys,
    }
    batches.set(mark, batch)
    for (const [place, one] of keys.entries()) {
      const key = keyOf(one)
      if (key !== undefined) found.set(key, { batch, place, isWrapped: Array.isArray(one) })
    }
    return
  }
  const batch = batches.get(mark)
  if (!batch) return
  batch.id = textOf(id) ?? batch.id
  batch.file = textOf(file) ?? batch.file
  for (const place of placesIn(done, batch.requests)) {
    const key = keyOf(batch.keys[place])
    if (key !== undefined && found.get(key)?.batch === batch) found.delete(key)
  }
}

const keyOf = (one: unknown): string | undefined => textOf(Array.isArray(one) ? one[0] : one)

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function* placesIn(ranges: unknown, requests: number): Generator<number> {
  for (const range of Array.isArray(ranges) ? ranges : []) {
    const [from = 0, to = -1] = Array.isArray(range) ? range.map(Number) : []
    for (let place = Math.max(0, from); place <= Math.min(to, requests - 1); place++) yield place
  }
}

const rangesOf = (places: readonly number[]): (readonly [number, number])[] => {
  const ranges: [number, number][] = []
  for (const place of [...places].sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last && place <= last[1] + 1) last[1] = place
    else ranges.push([place, place])
  }
  return ranges
}

/** Each line is on the disk before it returns. */
const openAppender = (directory: string): ((note: object) => Fault | undefined) => {
  const path = join(directory, `${Date.now().toString(36).padStart(9, '0')}-${randomUUID()}${EXTENSION}`)
  let fd: number | undefined
  let isTorn = false
  return (note) => {
    try {
      if (fd === undefined) {
        inOwnDirectory(directory, () => {}, { isMade: true, mode: 0o700 })
        fd = openOwnFile(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600)
      }
      writeSync(fd, `${isTorn ? '\n' : ''}${JSON.stringify(note)}\n`)
      fsyncSync(fd)
      isTorn = false
      return undefined
    } catch (error) {
      if (fd !== undefined) closeSync(fd)
      fd = undefined
      isTorn = true
      const reason = systemReason(error as NodeJS.ErrnoException)
      return fault('write_failed', `what is sent in a batch cannot be noted in '${directory}': ${reason}; nothing is sent`, {
        path: directory,
      })
    }
  }
}
