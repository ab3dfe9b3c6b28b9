// Writes a file atomically: temporary file, fsync, rename. The file then has all of the bytes or its old content.

import { constants, lstatSync, type Stats } from 'node:fs'
import { access, type FileHandle, open, rm } from 'node:fs/promises'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import { type ExpectedFile, fileChanged } from './file-stamp.js'
import { type Directory, openDirectory } from './open.js'
import { replaceFile } from './replace-file.js'
import { type ResolvedPath, systemFault } from './resolved-path.js'
import { removeLeftovers, temporaryName } from './temporary-files.js'

export interface WriteOptions {
  /** `file_changed` if the file is no longer this version, or exists although `absent` is expected. */
  readonly expect?: ExpectedFile
  /** Mode of a new file; default: 0666 less the umask. */
  readonly mode?: number
}

/** Creates missing directories on the way. */
export const writeFileAtomically = async (resolved: ResolvedPath, bytes: Uint8Array, options: WriteOptions = {}): Promise<Result<void>> => {
  const directory = await openDirectory(resolved, { create: true })
  if (!directory.ok) return directory
  try {
    await removeLeftovers(directory.value)
    return await replace(directory.value, resolved, bytes, options)
  } catch (error) {
    return systemFault(error, 'write', resolved.shown)
  } finally {
    await directory.value.close()
  }
}

const replace = async (
  directory: Directory,
  { name, shown }: ResolvedPath,
  bytes: Uint8Array,
  { expect, mode }: WriteOptions,
): Promise<Result<void>> => {
  const target = directory.at(name)
  const old = lstatSync(target, { throwIfNoEntry: false })
  if (old && !old.isFile()) return fail('path_denied', `'${preview(shown, 200)}' is not a regular file`, { path: preview(shown, 200) })
  // rename(2) checks only the permissions of the directory.
  if (old) await access(target, constants.W_OK)
  const fresh = temporaryName()
  try {
    await writeNewFile(directory.at(fresh), bytes, old, mode)
    if (!replaceFile(directory, fresh, name, expect)) return fileChanged(shown)
  } finally {
    // A leftover is removed by a later run.
    await rm(directory.at(fresh), { force: true }).catch(() => {})
  }
  await directory.sync()
  return succeed(undefined)
}

/** Writes and syncs a new file; `path` must not exist. Mode and owner are those of `old`, else `mode`, else 0666 less the umask. */
export const writeNewFile = async (path: string, bytes: Uint8Array, old: Stats | undefined, mode?: number): Promise<void> => {
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.chmod(old ? old.mode & (await keepOwner(handle, old)) : (mode ?? 0o666 & ~process.umask()))
    await handle.sync()
  } finally {
    await handle.close()
  }
}

// Only root may change the owner, others the group to one of theirs. Resolves to the mask of permission bits that may be kept.
const keepOwner = async (handle: FileHandle, { uid, gid }: Stats): Promise<number> => {
  const own = await handle.stat()
  if (own.uid !== uid || own.gid !== gid) await handle.chown(process.getuid?.() === 0 ? uid : own.uid, gid).catch(() => {})
  const now = await handle.stat()
  return now.uid === uid && now.gid === gid ? 0o7777 : 0o777
}
