// Indexes that were searched lately stay in memory, as long as their file is the same.

import { type Result, succeed } from '@plumb/wire'
import { type FileStamp, fileStamp } from '../../path/file-stamp.js'
import type { ResolvedPath } from '../../path/resolved-path.js'
import { readIndex, statOf } from './index-file.js'
import type { Database } from './sqlite.js'

interface Kept {
  readonly stamp: FileStamp
  readonly database: Database
}

const MAX_KEPT = 4

/** By path, the one that was wanted last at the end. */
const kept = new Map<string, Kept>()

/** `use` may not wait: the database may be closed when it has returned. Undefined: the index is damaged, or `use` could not make anything of it. */
export const withIndex = async <T>(resolved: ResolvedPath, use: (database: Database) => T): Promise<Result<T | undefined>> => {
  const path = `${resolved.folder}/${resolved.name}`
  const stat = await statOf(resolved)
  const known = kept.get(path)
  if (known && stat && isSame(known.stamp, fileStamp(stat))) {
    keep(path, known)
    return succeed(attempt(known.database, use))
  }
  const read = await readIndex(resolved)
  if (!read.ok) return read
  const { database, stamp } = read.value
  if (database) keep(path, { stamp, database })
  return succeed(database && attempt(database, use))
}

const attempt = <T>(database: Database, use: (database: Database) => T): T | undefined => {
  try {
    return use(database)
  } catch {
    // What SQLite says of a file that is damaged inside.
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
