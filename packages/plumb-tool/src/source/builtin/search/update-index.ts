// Updates an index to the current files: unchanged files are not read again, missing ones are removed.

import { isUtf8 } from 'node:buffer'
import type { BigIntStats } from 'node:fs'
import { extname } from 'node:path'
import { closeQuietly, openFile, type ResolvedPath, walkFiles } from '@plumb/sandbox'
import { sha256Of } from '@plumb/wire'
import type { BuiltinContext } from '../builtin.js'
import { isReadable } from '../file/permitted-file.js'
import { isBinary } from '../file/text-file.js'
import type { DocumentKind } from './document-kind.js'
import { addIndexedFile, filesOf, type IndexedFile, removeIndexedFile, setStamp } from './index-tables.js'
import type { SqliteDatabase } from './sqlite.js'

const MAX_FILE_BYTES = 10 * 1024 * 1024
const MAX_FILES = 50_000
const MAX_TOTAL_BYTES = 512 * 1024 * 1024
const MAX_ENDING = 20
/** Number of skipped files that are named. */
const MAX_NAMED = 20
/** A file written this recently could be written again without a change of its times. */
const SETTLED_MS = 2000

export interface UpdateSummary {
  added: number
  changed: number
  removed: number
  unchanged: number
  /** Unchanged files that got a stamp, so the next run need not read them. */
  restamped: number
  /** Files that were left out; `reasons` names the first of them. */
  skipped: number
  readonly reasons: string[]
  /** Counts of files of other kinds by extension. */
  readonly others: Map<string, number>
}

/** Undefined if the signal fired; the database is then incomplete. */
export const updateIndex = async (
  database: SqliteDatabase,
  directory: ResolvedPath,
  kind: DocumentKind,
  context: BuiltinContext,
): Promise<UpdateSummary | undefined> => {
  const { signal } = context.call
  const done: UpdateSummary = { added: 0, changed: 0, removed: 0, unchanged: 0, restamped: 0, skipped: 0, reasons: [], others: new Map() }
  const known = filesOf(database)
  const budget = { files: MAX_FILES, bytes: MAX_TOTAL_BYTES }
  const unseen = { directories: 0, names: 0, shown: [] as string[] }
  const leaveOut = (why: string): void => {
    done.skipped++
    if (done.reasons.length < MAX_NAMED) done.reasons.push(why)
  }
  for await (const { file: resolved } of walkFiles(directory, signal, { unseen })) {
    if (!kind.fits(resolved.shown)) {
      const ending = extname(resolved.shown).toLowerCase().slice(0, MAX_ENDING)
      done.others.set(ending, (done.others.get(ending) ?? 0) + 1)
      continue
    }
    if (!isReadable(resolved, context)) continue
    const before = known.get(resolved.shown)
    const file = await look(resolved, before, budget)
    if (file.kind === 'skipped') {
      leaveOut(`${resolved.shown}: ${file.why}`)
      continue
    }
    known.delete(resolved.shown)
    if (file.kind === 'same') {
      done.unchanged++
      if (before && file.stamp !== before.stamp) {
        setStamp(database, before, file.stamp)
        done.restamped++
      }
      continue
    }
    if (before) removeIndexedFile(database, before)
    addIndexedFile(database, kind, resolved.shown, file)
    done[before ? 'changed' : 'added']++
  }
  if (signal.aborted) return undefined
  for (const shown of unseen.shown) leaveOut(`${shown}: a directory that cannot be opened, or is too deep`)
  for (const [path, file] of known) {
    if (unseen.shown.some((outer) => isBelow(outer, path))) continue
    removeIndexedFile(database, file)
    done.removed++
  }
  return done
}

// Files in a directory that cannot be opened now are not removed from the index.
const isBelow = (directory: string, path: string): boolean => directory === '.' || path.startsWith(`${directory}/`)

type Looked =
  | { readonly kind: 'same'; readonly stamp: string }
  | { readonly kind: 'new'; readonly text: string; readonly sha256: string; readonly stamp: string }
  | { readonly kind: 'skipped'; readonly why: string }

const look = async (resolved: ResolvedPath, before: IndexedFile | undefined, budget: { files: number; bytes: number }): Promise<Looked> => {
  const opened = await openFile(resolved)
  if (!opened.ok) return { kind: 'skipped', why: opened.error.detail }
  const handle = opened.value
  try {
    const stat = await handle.stat({ bigint: true })
    const size = Number(stat.size)
    if (size > MAX_FILE_BYTES) return { kind: 'skipped', why: `larger than ${MAX_FILE_BYTES} bytes` }
    if (budget.files < 1 || budget.bytes < size) return { kind: 'skipped', why: 'the index is full' }
    budget.files--
    budget.bytes -= size
    const stamp = stampOf(stat)
    if (before && before.stamp !== '' && before.stamp === stamp) return { kind: 'same', stamp }
    const bytes = Buffer.allocUnsafe(size)
    const { bytesRead } = await handle.read(bytes, 0, size, 0)
    const read = bytes.subarray(0, bytesRead)
    if (isBinary(read) || !isUtf8(read)) return { kind: 'skipped', why: 'not UTF-8 text' }
    const sha256 = sha256Of(read)
    return sha256 === before?.sha256 ? { kind: 'same', stamp } : { kind: 'new', text: read.toString(), sha256, stamp }
  } catch {
    return { kind: 'skipped', why: 'it could not be read' }
  } finally {
    await closeQuietly(handle)
  }
}

const stampOf = ({ ino, size, mtimeNs, ctimeNs, ctimeMs }: BigIntStats): string =>
  Number(ctimeMs) > Date.now() - SETTLED_MS ? '' : `${ino} ${size} ${mtimeNs} ${ctimeNs}`
