// Caches recently searched indexes in memory, as long as their files are unchanged.

import { type FileStamp, fileStamp, type ResolvedPath } from '@plumb/sandbox'
import { type Result, succeed } from '@plumb/wire'
import { loadIndex, statOf } from './index-file.js'
import type { SqliteDatabase } from './sqlite.js'

interface Kept {
  readonly stamp: FileStamp
  readonly database: SqliteDatabase
}

const MAX_KEPT = 4

/** By path, the most recently used at the end. */
const kept = new Map<string, Kept>()

/** `use` must be synchronous: the database may be closed afterwards. Undefined if the index is damaged. */
export const withIndex = async <T>(resolved: ResolvedPath, use: (database: SqliteDatabase) => T): Promise<Result<T | undefined>> => {
  const path = `${resolved.directory}/${resolved.name}`
  const stat = await statOf(resolved)
  const known = kept.get(path)
  if (known && stat && isSame(known.stamp, fileStamp(stat))) {
    keep(path, known)
    return succeed(attempt(known.database, use))
  }
  const read = await loadIndex(resolved)
  if (!read.ok) return read
  const { database, stamp } = read.value
  if (database) keep(path, { stamp, database })
  return succeed(database && attempt(database, use))
}

const attempt = <T>(database: SqliteDatabase, use: (database: SqliteDatabase) => T): T | undefined => {
  try {
    return use(database)
  } catch {
    // SQLite found the file damaged.
    return undefined
  }
}

const keep = (path: string, entry: Kept): void => {
  const before = kept.get(path)
  if (before && before.database !== entry.database) before.database.close()
  kept.delete(path)
  kept.set(path, entry)
  for (const [oldest, { database }] of kept) {
    if (kept.size <= MAX_KEPT) break
    kept.delete(oldest)
    database.close()
  }
}

const isSame = (a: FileStamp, b: FileStamp): boolean => a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs
