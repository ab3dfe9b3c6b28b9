// Kept answers for all processes of one run: the n-th of several equal requests of one process gets the n-th answer, in the order in which
// they are asked. All processes share the counters, in an unnamed file on one descriptor, as for a budget.

import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  andThen,
  type Fault,
  fail,
  fault,
  openAnonymousLog,
  openLedger,
  type Result,
  setCurrentKept,
  succeed,
  systemReason,
} from '@plumb/wire'
import { holdDirectory } from '@plumb/wire/output'
import { makeStoreDirectory } from './directory-store.js'
import { type EntryKey, type KeptEntry, placeName } from './entry.js'
import type { HashedRequest, KeptAnswers, KeptOptions } from './interface.js'
import { keepsRequests, openStore } from './open-store.js'
import { makeSharedKept } from './shared-kept.js'
import type { Store } from './store.js'

/** For this process and all that it starts. */
export const openKept = (options: KeptOptions): Result<KeptAnswers> => {
  const fd = openLog(options)
  return fd.ok ? joinKept(fd.value) : fd
}

/** For all that this process starts; it asks nothing itself, so that a record, which others open too, is not read here. */
export const openKeptForChildren = (options: KeptOptions): Result<void> => {
  if (!options.stores.every(({ isRecord }) => isRecord)) {
    const kept = openKept(options)
    return kept.ok ? succeed(undefined) : kept
  }
  const fd = openLog(options)
  if (!fd.ok) return fd
  setCurrentKept({ fd: fd.value, isOnly: options.isOnly })
  return succeed(undefined)
}

const openLog = (given: KeptOptions): Result<number> => {
  try {
    const options = { ...given, held: hold(given) }
    const fd = openAnonymousLog()
    writeSync(fd, `${JSON.stringify({ ...options, places: options.places.map(placeName) })}\n`)
    return succeed(fd)
  } catch (error) {
    return fail('write_failed', `no file to count requests in can be made: ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}

// What a process finds there later is in the directories that were there at first. A record's answers have none yet, but are in one that is.
const hold = ({ stores, approvals }: KeptOptions): Record<string, string> => {
  const directories = stores.filter(({ path }) => !keepsRequests(path)).map(({ path, isRecord }) => (isRecord ? dirname(path) : path))
  const held: Record<string, string> = {}
  for (const path of new Set([...directories, ...(approvals === undefined ? [] : [dirname(approvals)])])) {
    try {
      if (stores.some((store) => store.path === path)) makeStoreDirectory(path)
      held[path] = holdDirectory(path)
    } catch {
      // Opening it says why.
    }
  }
  return held
}

/** Where calls of the run wait for a person. Undefined: none can. */
export const approvalsOf = (fd: number): Result<string | undefined> => {
  const options = readOptions(openCounts(fd).head)
  return options ? andThen(holdAll(options), () => succeed(options.approvals)) : succeed(undefined)
}

/** The directories in which the run keeps its answers and its record, for a process that writes there by itself. */
export const holdKept = (fd: number): Result<void> => holdAll(readOptions(openCounts(fd).head) ?? {})

const holdAll = ({ held = {} }: Pick<KeptOptions, 'held'>): Result<void> => {
  try {
    for (const [path, identity] of Object.entries(held)) holdDirectory(path, identity)
    return succeed(undefined)
  } catch (error) {
    return fail('record_invalid', `what is kept of the run cannot be read: ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}

/** The parent's, on an inherited descriptor. */
export const joinKept = (fd: number): Result<KeptAnswers> => {
  const count = openCounts(fd)
  const options = readOptions(count.head)
  if (!options) return fail('fd_invalid', `no place of kept answers can be read from descriptor ${fd}`)
  const held = holdAll(options)
  if (!held.ok) return held
  if (options.shared) {
    const kept = makeSharedKept(fd, options, options.shared, count.next)
    setCurrentKept(kept)
    return succeed(kept)
  }
  const stores: OpenStore[] = []
  for (const { path, isRecord = false } of options.stores) {
    const store = openStore(path, isRecord)
    if (!store.ok) return store
    stores.push({ ...store.value, path, isRecord })
  }
  const kept = makeKept(fd, options, stores, count.next)
  setCurrentKept(kept)
  return succeed(kept)
}

const byTime = (a: EntryKey, b: EntryKey): number => a.nth - b.nth || (a.place < b.place ? -1 : 1)

interface OpenStore extends Store {
  readonly path: string
  readonly isRecord: boolean
}

const makeKept = (
  fd: number,
  { isOnly, approvals, places, unrecorded = [] }: KeptOptions,
  all: readonly OpenStore[],
  count: Counts['next'],
): KeptAnswers => {
  const here = new Set(places)
  const late = new LateEntries()

  const find = (store: OpenStore, key: EntryKey): KeptEntry | undefined => {
    const own = store.read(key)
    if (own) return own
    // The agent that asked this has another name now: each of its answers is given once.
    const others = store.keysOf(key.hash).filter(({ place }) => !here.has(place) && place !== key.place)
    for (const other of others.sort(byTime)) {
      const entry = store.read(other)
      if (entry && count(`${store.path} ${key.hash} ${other.nth} ${other.place}`) === 1) return entry
    }
    return undefined
  }

  return {
    fd,
    isOnly,
    approvals,
    hasRecord: all.some(({ isRecord }) => isRecord),
    batchDirectory: batchDirectoryOf(all[0]?.path ?? '.'),
    ask: (request, at, { onlyRecorded = false, delivery } = {}) => {
      const isUnrecorded = unrecorded.some((one) => at === one || at.startsWith(`${one}~`))
      const stores = isUnrecorded ? [] : all.filter(({ isRecord }) => isRecord || !onlyRecorded)
      // A request for another message of a run by workers is another request.
      const place = placeName(delivery === undefined ? at : `${at}@${delivery}`)
      const { hash } = request
      const key = { hash, place, nth: count(`${hash} ${place}`) }
      const keep = (answer: unknown, into: readonly OpenStore[]): Fault | undefined => {
        const failed = into.map((store) => late.put(store, { ...key, answer, ...(store.nearest ? { request: request.value() } : {}) }))
        return failed.find((one) => one !== undefined)
      }
      for (const store of stores) {
        const entry = find(store, key)
        if (!entry) continue
        keep(
          entry.answer,
          stores.filter((other) => other !== store && !other.read(key)),
        )
        return {
          key,
          found: { answer: entry.answer, source: store.isRecord ? 'record' : 'cache' },
          miss: undefined,
          keep: () => undefined,
        }
      }
      const miss = isOnly && !onlyRecorded ? missFault(request, stores.length === 0 ? all : stores) : undefined
      return { key, found: undefined, miss, keep: (answer) => keep(answer, stores) }
    },
  }
}

const batchDirectoryOf = (path: string): string => (path.endsWith('.jsonl') ? `${path}.batches` : join(path, 'batches'))

const missFault = ({ hash, value }: HashedRequest, stores: readonly OpenStore[]): Fault => {
  const paths = stores.map(({ path }) => `'${path}'`).join(' or ')
  const nearest = stores.map((store) => store.nearest?.(value())).find((one) => one !== undefined)
  const words =
    nearest === undefined
      ? ''
      : nearest.paths.length === 0
        ? `; it was asked ${nearest.key.nth} times there, and is asked once more here`
        : `; the nearest, ${nearest.key.hash.slice(0, SHOWN_DIGITS)} of ${nearest.key.place}, differs in ${nearest.paths.join(', ')}`
  const more = nearest === undefined ? {} : { nearest: nearest.key.hash, paths: nearest.paths }
  return fault('cache_miss', `no answer to this request is kept in ${paths}, and --cache-only makes no request${words}`, {
    request: hash,
    ...more,
  })
}

const SHOWN_DIGITS = 12

/** Of answers that wait for space on the disk, in characters of their text. */
const MAX_LATE = 16 * 1024 * 1024

class LateEntries {
  #waiting: { readonly store: OpenStore; readonly entry: KeptEntry; readonly size: number }[] = []
  #size = 0

  put(store: OpenStore, entry: KeptEntry): Fault | undefined {
    const waiting = this.#waiting
    this.#waiting = []
    this.#size = 0
    for (const one of waiting) this.#try(one.store, one.entry)
    return this.#try(store, entry)
  }

  #try(store: OpenStore, entry: KeptEntry): Fault | undefined {
    const failed = store.put(entry)
    if (!failed) return undefined
    const size = JSON.stringify(entry.answer).length
    if (this.#size + size > MAX_LATE) return failed
    this.#waiting.push({ store, entry, size })
    this.#size += size
    return failed
  }
}

const readOptions = (head: string | undefined): KeptOptions | undefined => {
  try {
    const { isOnly, ...options } = JSON.parse(head ?? '') as KeptOptions
    return Array.isArray(options.stores) && Array.isArray(options.places) ? { ...options, isOnly: isOnly === true } : undefined
  } catch {
    return undefined
  }
}

// How often each request was made in a run, over all its processes: a ledger to which each appends, and which numbers equal requests.
interface Counts {
  /** The first line of the ledger: the options. */
  readonly head: string | undefined
  /** The number of this request among equal ones of the run, from 1, this time included. */
  readonly next: (key: string) => number
}

const openCounts = (fd: number): Counts => {
  const ledger = openLedger(fd)
  const head = ledger.next()
  const counts = new Map<string, number>()
  // A process in a sandbox may have the pid of another.
  const who = randomUUID()
  let made = 0
  return {
    head,
    // Every process reads the lines in the same order, so all come to the same numbers.
    next: (key) => {
      const own = `${who}.${++made} ${key}`
      ledger.append(own)
      for (let line = ledger.next(); line !== undefined; line = ledger.next()) {
        const counted = line.slice(line.indexOf(' ') + 1)
        const nth = (counts.get(counted) ?? 0) + 1
        counts.set(counted, nth)
        if (line === own) return nth
      }
      return 1
    },
  }
}
