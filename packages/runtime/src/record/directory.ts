// The directory of a record (--record DIR): made, locked, emptied of an older record, or refused because it holds something else.

import { type Dirent, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Fault, fail, fault, isRecord, nowMs, preview, type Result, succeed, systemReason } from '@plumb/wire'
import { atOwnPath, holdDirectory, inOwnDirectory, readOwnFile } from '@plumb/wire/output'
import type { WireInfo } from '../event/run-event.js'
import { APPROVALS_FILE, KEPT_DIRECTORY } from './kept-answers.js'
import { LOCK_FILE, lockRecord, type ReleaseLock } from './lock.js'

export const RUN_FILE = 'run.json'
/** The next run.json, before it is renamed. */
const FRESH_FILE = 'run.json.new'
/** The answers of agents: one exchange a line, reused when the run is resumed. */
export const ANSWERS_FILE = 'answers.jsonl'
/** Where in it some of them are: only in records of earlier releases. */
export const INDEX_FILE = 'answers.index'
/** All other events: processes, usage, tool calls, errors. */
export const EVENTS_FILE = 'events.jsonl'
/** The timeline, for `plumb view`. */
export const TRACE_FILE = 'trace.json'

/** Answers that are being written, while the run goes on: for `plumb view`, and gone with the run. */
export const GROWING_FILE = 'growing.json'

/** DIR/run.json. */
export interface RunFile {
  readonly format: 1
  readonly plumb: string
  readonly spec: string
  readonly binding: string
  /** SHA-256 of each file of the spec, by its path. */
  readonly files: Readonly<Record<string, string>>
  /** For each agent, by its place: what its requests depend on. */
  readonly agents: Readonly<Record<string, string>>
  /** The options that answers depend on. */
  readonly options: Readonly<Record<string, unknown>>
  readonly wires: readonly WireInfo[]
  /** The process that writes it, and its machine. */
  readonly pid: number
  readonly host: string
  /** Wall clock, ISO 8601. */
  readonly began: string
  readonly ended?: string
  readonly status?: number
  readonly stopped_by?: string
}

/** The spending of the run, as its processes wrote it, and the next version before it is renamed. */
export const BUDGET_FILE = 'budget'

const NAMES = new Set([
  BUDGET_FILE,
  `${BUDGET_FILE}.new`,
  RUN_FILE,
  FRESH_FILE,
  ANSWERS_FILE,
  `${ANSWERS_FILE}.new`,
  INDEX_FILE,
  EVENTS_FILE,
  TRACE_FILE,
  GROWING_FILE,
  `${GROWING_FILE}.new`,
  APPROVALS_FILE,
])
/** A run that was killed while it took a lock over leaves a lock with a longer name. */
const LOCK_NAME = new RegExp(`^${LOCK_FILE}(\\.\\d+-(at)?\\d+)*$`)
const WIRE_FILE = /^\d{2,}-.*\.jsonl$/

export interface RecordDirectoryOptions {
  /** A parent runs us, and has locked the directory around it. */
  readonly isNested: boolean
}

/** Locks the directory of a record that is to be continued. */
export const enterDirectory = async (directory: string, { isNested }: RecordDirectoryOptions): Promise<Result<ReleaseLock>> => {
  const run = readRunFile(directory)
  if (!run.ok) return run
  try {
    holdDirectory(directory)
  } catch (error) {
    return { ok: false, error: cannot('write to', directory, error) }
  }
  return waitForLock(isNested, () => lockRecord(directory))
}

/** Makes and locks the directory of a new record; an older record in it is removed. */
export const clearDirectory = async (directory: string, { isNested }: RecordDirectoryOptions): Promise<Result<ReleaseLock>> => {
  try {
    inOwnDirectory(directory, () => {}, { isMade: true })
    holdDirectory(directory)
    const before = refuseForeignFiles(directory)
    if (!before.ok) return before
    const locked = await waitForLock(isNested, () => lockRecord(directory))
    if (!locked.ok) return locked
    const cleared = await clear(directory, isNested)
    if (!cleared.ok) locked.value()
    return cleared.ok ? locked : cleared
  } catch (error) {
    return { ok: false, error: cannot('write to', directory, error) }
  }
}

const clear = async (directory: string, isNested: boolean): Promise<Result<void>> => {
  if (!isNested && isNewer(directory))
    return fail(
      'record_invalid',
      `'${directory}' holds the record of a run that began or ended after this one was started: name another directory`,
    )
  const names = entriesOf(directory)
  // Directories of nested plumbs: those of a killed run end soon after it.
  for (const { name } of names.filter((entry) => entry.isDirectory() && entry.name !== KEPT_DIRECTORY)) {
    const left = await clearDirectory(join(directory, name), { isNested: true })
    if (!left.ok) return left
    left.value()
  }
  const now = refuseForeignFiles(directory)
  if (!now.ok) return now
  // run.json goes last: it describes the others.
  for (const entry of names.filter((entry) => entry.name !== RUN_FILE && !isLock(entry)))
    atOwnPath(join(directory, entry.name), (at) => rmSync(at, { recursive: true }))
  atOwnPath(join(directory, RUN_FILE), (at) => rmSync(at, { force: true }))
  return succeed(undefined)
}

const refuseForeignFiles = (directory: string): Result<void> => {
  const foreign = foreignFileIn(directory)
  if (foreign === undefined) return succeed(undefined)
  return fail('record_invalid', `'${directory}' holds '${preview(foreign)}', which is not a record of a run: name another directory`)
}

// A run that was started earlier, and then stopped or waited for the processor, must not replace the record of a later one. A time in the
// future means nothing: the clock was set back.
const isNewer = (directory: string): boolean => {
  const run = readRunFile(directory)
  if (!run.ok) return false
  const times = [run.value.began, run.value.ended].map((time) => (time === undefined ? 0 : Date.parse(time)))
  return times.some((time) => time > performance.timeOrigin && time <= Date.now())
}

const LOCK_TIMEOUT_MS = 3000
const LOCK_POLL_MS = 50

const waitForLock = async (isNested: boolean, lock: () => Result<ReleaseLock>): Promise<Result<ReleaseLock>> => {
  const until = nowMs() + (isNested ? LOCK_TIMEOUT_MS : 0)
  for (;;) {
    const locked = lock()
    if (locked.ok || nowMs() >= until) return locked
    await sleep(LOCK_POLL_MS)
  }
}

// The name of an entry that is not part of a record. Directories in a record are records of nested plumbs.
const foreignFileIn = (directory: string): string | undefined => {
  const entries = entriesOf(directory)
  // A run that was killed at once leaves nothing but its lock.
  const isOfRun = entries.some((entry) => entry.name === RUN_FILE || entry.name === FRESH_FILE || isLock(entry))
  for (const entry of entries) {
    const { name } = entry
    if (entry.isDirectory() && name === KEPT_DIRECTORY && isOfRun) continue
    if (entry.isDirectory()) {
      const inside = foreignFileIn(join(directory, name))
      if (!isOfRun || inside !== undefined) return join(name, inside ?? '')
    } else if (isLock(entry)) continue
    else if (!isOfRun || !entry.isFile() || !(NAMES.has(name) || WIRE_FILE.test(name))) return name
  }
  return undefined
}

const entriesOf = (directory: string): Dirent[] => inOwnDirectory(directory, (at) => readdirSync(`${at}/.`, { withFileTypes: true }))

const isLock = (entry: Dirent): boolean => entry.isSymbolicLink() && LOCK_NAME.test(entry.name)

export const readRunFile = (directory: string): Result<RunFile> => {
  try {
    const run = JSON.parse(readOwnFile(join(directory, RUN_FILE))) as RunFile
    if (run?.format === 1 && isRecord(run.files) && isRecord(run.options) && isRecord(run.agents ?? {})) return succeed(run)
    return fail('record_invalid', `'${join(directory, RUN_FILE)}' is none that this version of plumb can read`)
  } catch (error) {
    if (error instanceof SyntaxError) return fail('record_invalid', `'${join(directory, RUN_FILE)}' is not JSON`)
    return fail('record_invalid', `'${directory}' is not a record of a run: ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}

/** Of a directory that holds no run.json. */
export const noRecord = (directory: string): string =>
  `'${preview(directory, 200)}' is not a record of a run; name the directory after --record`

/** Writes run.json atomically. */
export const writeRunFile = (directory: string, run: RunFile): Fault | undefined => {
  const path = join(directory, RUN_FILE)
  try {
    inOwnDirectory(directory, (at) => {
      // A killed run may have left one; a link in its place must not be followed.
      rmSync(join(at, FRESH_FILE), { force: true })
      try {
        writeFileSync(join(at, FRESH_FILE), `${JSON.stringify(run, null, 2)}\n`, { flag: 'wx' })
        renameSync(join(at, FRESH_FILE), join(at, RUN_FILE))
      } catch (error) {
        rmSync(join(at, FRESH_FILE), { force: true })
        throw error
      }
    })
    return undefined
  } catch (error) {
    return fault('write_failed', `cannot write to '${path}': ${systemReason(error as NodeJS.ErrnoException)}`, { path })
  }
}

const cannot = (what: string, directory: string, error: unknown): Fault =>
  fault('file_not_found', `cannot ${what} the directory '${directory}': ${systemReason(error as NodeJS.ErrnoException)}`)
