// The file of an index, below the root that it indexes. It is read and written whole, so that readers never see half of it.

import type { Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import {
  closeQuietly,
  type ExpectedFile,
  type FileStamp,
  fileStamp,
  openDirectory,
  openFile,
  type ResolvedPath,
  resolvePath,
  systemFault,
  writeFileAtomically,
} from '@plumb/sandbox'
import { fail, preview, type Result, sha256Of, succeed } from '@plumb/wire'
import type { BuiltinContext } from '../builtin.js'
import type { DocumentKind } from './document-kind.js'
import { openContents } from './index-tables.js'
import type { SqliteDatabase } from './sqlite.js'

const SUFFIX = '.sqlite'
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,99}$/u
const MAX_BYTES = 1024 * 1024 * 1024

/** The default name of the index of a directory. */
export const nameFor = (directory: string): string => {
  if (directory === '.') return 'default'
  const name = directory.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[^\p{L}\p{N}]+/u, '')
  const isReadable = name === directory.replaceAll('/', '-') && name.length <= 100
  return isReadable ? name : `${name.slice(0, 80)}-${sha256Of(directory, 8)}`.replace(/^-/, '')
}

export const checkName = (name: string): Result<string> =>
  NAME.test(name)
    ? succeed(name)
    : fail('input_type_mismatch', `'${preview(name)}' is not the name of an index: take letters, digits, '.', '_' and '-', at most 100`)

export const indexFileOf = (
  kind: DocumentKind,
  name: string,
  context: BuiltinContext,
  root: string,
  purpose: 'read' | 'write',
): Result<ResolvedPath> => resolvePath(`${kind.directory}/${name}${SUFFIX}`, purpose, context, root)

/** Sorted; empty if there is no directory of indexes. */
export const indexNames = async (kind: DocumentKind, context: BuiltinContext, root: string): Promise<readonly string[]> => {
  const resolved = resolvePath(kind.directory, 'list', context, root)
  if (!resolved.ok) return []
  const directory = await openDirectory({ ...resolved.value, directory: `${resolved.value.directory}/${resolved.value.name}`, name: '.' })
  if (!directory.ok) return []
  try {
    const names = await readdir(`${directory.value.at('.')}/`)
    return names.flatMap((name) => (name.endsWith(SUFFIX) && !name.startsWith('.') ? [name.slice(0, -SUFFIX.length)] : [])).sort()
  } catch {
    return []
  } finally {
    await directory.value.close()
  }
}

interface StoredIndex {
  /** Undefined if damaged or of another version. */
  readonly database: SqliteDatabase | undefined
  readonly stamp: FileStamp
}

export const loadIndex = async (resolved: ResolvedPath): Promise<Result<StoredIndex>> => {
  const opened = await openFile(resolved)
  if (!opened.ok) return opened
  try {
    const stat = await opened.value.stat()
    if (stat.size > MAX_BYTES) return succeed({ database: undefined, stamp: fileStamp(stat) })
    const bytes = Buffer.allocUnsafe(stat.size)
    const { bytesRead } = await opened.value.read(bytes, 0, bytes.length, 0)
    return succeed({ database: await openContents(bytes.subarray(0, bytesRead)), stamp: fileStamp(stat) })
  } catch (error) {
    return systemFault(error, 'read', resolved.shown)
  } finally {
    await closeQuietly(opened.value)
  }
}

/** `file_changed` if the index is no longer the version that was read. Resolves to the new version. */
export const writeIndex = async (resolved: ResolvedPath, database: SqliteDatabase, expect: ExpectedFile): Promise<Result<FileStamp>> => {
  const written = await writeFileAtomically(resolved, database.bytes(), { expect })
  if (!written.ok) return written
  const stat = await statOf(resolved)
  return stat ? succeed(fileStamp(stat)) : fail('file_changed', `'${preview(resolved.shown)}' was taken away as soon as it was written`)
}

export const statOf = async (resolved: ResolvedPath): Promise<Stats | undefined> => {
  const directory = await openDirectory(resolved)
  if (!directory.ok) return undefined
  try {
    return await lstat(directory.value.at(resolved.name)).catch(() => undefined)
  } finally {
    await directory.value.close()
  }
}
