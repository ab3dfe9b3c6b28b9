// The folder of a record (--record DIR): made, emptied of an older record, or refused because it holds something else.

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Fault, fail, fault, preview, type Result, succeed, systemReason } from '@plumb/wire'
import type { Wire } from '../event.js'

export const RUN_FILE = 'run.json'
/** What becomes it, there for a moment. */
const FRESH_FILE = 'run.json.new'
/** What agents answered: one exchange a line, kept when the run is resumed. */
export const ANSWERS_FILE = 'answers.jsonl'
/** What else happened: processes, usage, tool calls, errors. */
export const EVENTS_FILE = 'events.jsonl'
/** The timeline of it, for `plumb view`. */
export const TRACE_FILE = 'trace.json'

/** DIR/run.json. */
export interface RunFile {
  readonly format: 1
  readonly plumb: string
  readonly spec: string
  readonly binding: string
  /** SHA-256 of each file that the spec consists of, by its path. */
  readonly files: Readonly<Record<string, string>>
  /** Those that make a difference to the answers. */
  readonly options: Readonly<Record<string, unknown>>
  readonly wires: readonly Wire[]
  /** Who writes it, and where. */
  readonly pid: number
  readonly host: string
  /** Wall clock, ISO 8601. */
  readonly began: string
  readonly ended?: string
  readonly status?: number
  readonly stopped_by?: string
}

const NAMES = new Set([RUN_FILE, FRESH_FILE, ANSWERS_FILE, EVENTS_FILE, TRACE_FILE])
const WIRE_FILE = /^\d{2,}-.*\.jsonl$/

/** Everything of an older record in it is removed. */
export const clearFolder = (folder: string): Result<void> => {
  try {
    makeFolder(resolve(folder))
    const stranger = strangerIn(folder)
    if (stranger !== undefined)
      return fail('record_invalid', `'${folder}' holds '${preview(stranger)}', which is no record of a run: name another folder`)
    // That which says what the others are goes last.
    const names = readdirSync(folder).filter((name) => name !== RUN_FILE)
    for (const name of names) rmSync(join(folder, name), { recursive: true })
    rmSync(join(folder, RUN_FILE), { force: true })
    return succeed(undefined)
  } catch (error) {
    return { ok: false, error: cannot('write to', folder, error) }
  }
}

// With those above it. Node's own `recursive` never ends where the kernel says of a folder that is there that it is not, as below /proc.
const makeFolder = (folder: string): void => {
  if (isMade(folder)) return
  makeFolder(dirname(folder))
  if (!isMade(folder)) mkdirSync(folder)
}

const isMade = (folder: string): boolean => {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return true
    if (code === 'ENOENT' && dirname(folder) !== folder) return false
    throw error
  }
}

// Folders in it are records of nested plumbs.
const strangerIn = (folder: string): string | undefined => {
  const entries = readdirSync(folder, { withFileTypes: true })
  const isRecord = entries.some(({ name }) => name === RUN_FILE || name === FRESH_FILE)
  for (const entry of entries) {
    const { name } = entry
    if (entry.isDirectory()) {
      const inside = strangerIn(join(folder, name))
      if (!isRecord || inside !== undefined) return join(name, inside ?? '')
    } else if (!isRecord || !entry.isFile() || !(NAMES.has(name) || WIRE_FILE.test(name))) return name
  }
  return undefined
}

export const readRunFile = (folder: string): Result<RunFile> => {
  try {
    const run = JSON.parse(readFileSync(join(folder, RUN_FILE), 'utf8')) as RunFile
    if (run?.format === 1 && isRecord(run.files) && isRecord(run.options)) return succeed(run)
    return fail('record_invalid', `'${join(folder, RUN_FILE)}' is none that this version of plumb can read`)
  } catch (error) {
    if (error instanceof SyntaxError) return fail('record_invalid', `'${join(folder, RUN_FILE)}' is no JSON`)
    return fail('record_invalid', `'${folder}' is no record of a run: ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}

const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whole or not at all. */
export const writeRunFile = (folder: string, run: RunFile): Fault | undefined => {
  const [path, fresh] = [join(folder, RUN_FILE), join(folder, FRESH_FILE)]
  try {
    // One that a killed run has left; through a link in its place nothing is written.
    rmSync(fresh, { force: true })
    writeFileSync(fresh, `${JSON.stringify(run, null, 2)}\n`, { flag: 'wx' })
    renameSync(fresh, path)
    return undefined
  } catch (error) {
    rmSync(fresh, { force: true })
    return fault('write_failed', `cannot write to '${path}': ${systemReason(error as NodeJS.ErrnoException)}`, { path })
  }
}

const cannot = (what: string, folder: string, error: unknown): Fault =>
  fault('file_not_found', `cannot ${what} the folder '${folder}': ${systemReason(error as NodeJS.ErrnoException)}`)
