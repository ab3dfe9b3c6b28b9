// Where an index lies: a file of its own below the root that is searched, read and written whole, so that readers always have a whole one.

import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import { type Expected, type Stamp, stampOf } from '../../path/file-stamp.js'
import { letGo, openFile, openFolder } from '../../path/open.js'
import { type Place, placeOf, systemFault } from '../../path/resolved-path.js'
import { writeWhole } from '../../path/write-file-atomically.js'
import type { BuiltinContext } from '../builtin.js'
import type { Kind } from './document-kind.js'
import { openContents } from './index-tables.js'
import type { Database } from './sqlite.js'

const SUFFIX = '.sqlite'
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,99}$/u
const MAX_BYTES = 1024 * 1024 * 1024

/** The name that a folder's index has where none is given. */
export const nameFor = (folder: string): string => {
  if (folder === '.') return 'default'
  const name = folder.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[^\p{L}\p{N}]+/u, '')
  const isTelling = name === folder.replaceAll('/', '-') && name.length <= 100
  return isTelling ? name : `${name.slice(0, 80)}-${createHash('sha256').update(folder).digest('hex').slice(0, 8)}`.replace(/^-/, '')
}

export const checkName = (name: string): Result<string> =>
  NAME.test(name)
    ? succeed(name)
    : fail('input_type_mismatch', `'${preview(name)}' is no name of an index: take letters, digits, '.', '_' and '-', at most 100`)

export const indexPlace = (kind: Kind, name: string, context: BuiltinContext, root: string, purpose: 'read' | 'write'): Result<Place> =>
  placeOf(`${kind.folder}/${name}${SUFFIX}`, purpose, context, root)

/** Sorted; none where there is no such folder. */
export const indexNames = async (kind: Kind, context: BuiltinContext, root: string): Promise<readonly string[]> => {
  const place = placeOf(kind.folder, 'list', context, root)
  if (!place.ok) return []
  const folder = await openFolder({ ...place.value, folder: `${place.value.folder}/${place.value.name}`, name: '.' })
  if (!folder.ok) return []
  try {
    const names = await readdir(`${folder.value.at('.')}/`)
    return names.flatMap((name) => (name.endsWith(SUFFIX) && !name.startsWith('.') ? [name.slice(0, -SUFFIX.length)] : [])).sort()
  } catch {
    return []
  } finally {
    await folder.value.close()
  }
}

interface StoredIndex {
  /** Undefined: damaged, or of another version. */
  readonly database: Database | undefined
  readonly stamp: Stamp
}

export const readIndex = async (place: Place): Promise<Result<StoredIndex>> => {
  const opened = await openFile(place)
  if (!opened.ok) return opened
  try {
    const stat = await opened.value.stat()
    if (stat.size > MAX_BYTES) return succeed({ database: undefined, stamp: stampOf(stat) })
    const bytes = Buffer.allocUnsafe(stat.size)
    const { bytesRead } = await opened.value.read(bytes, 0, bytes.length, 0)
    return succeed({ database: await openContents(bytes.subarray(0, bytesRead)), stamp: stampOf(stat) })
  } catch (error) {
    return systemFault(error, 'read', place.shown)
  } finally {
    await letGo(opened.value)
  }
}

/** Fails with `file_changed` where the index is no longer the one that was read. Resolves to the new stamp. */
export const writeIndex = async (place: Place, database: Database, expect: Expected): Promise<Result<Stamp>> => {
  const written = await writeWhole(place, database.bytes(), { expect })
  if (!written.ok) return written
  const stat = await statOf(place)
  return stat ? succeed(stampOf(stat)) : fail('file_changed', `'${preview(place.shown)}' was taken away as soon as it was written`)
}

export const statOf = async (place: Place): Promise<Stats | undefined> => {
  const folder = await openFolder(place)
  if (!folder.ok) return undefined
  try {
    return await lstat(folder.value.at(place.name)).catch(() => undefined)
  } finally {
    await folder.value.close()
  }
}
