// Replaces or removes a file if it is still the expected version (compare-and-swap): of several processes that saw the same version,
// exactly one succeeds.

import { linkSync, lstatSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import { type ExpectedFile, type FileStamp, fileChanged, isUnchanged } from './file-stamp.js'
import { type Directory, openDirectory } from './open.js'
import { type ResolvedPath, systemFault } from './resolved-path.js'
import { guardName, hasOwnerExited, OWNER } from './temporary-files.js'

/** Renames `fresh`, in the same directory, to `name`. False if the file is not the expected version; undefined expects nothing. */
export const replaceFile = (directory: Directory, fresh: string, name: string, expected: ExpectedFile | undefined): boolean => {
  const [from, to] = [directory.at(fresh), directory.at(name)]
  if (expected === 'absent') return createOnly(from, to)
  return withGuard(directory, name, expected, () => renameSync(from, to))
}

export const removeIfUnchanged = (directory: Directory, name: string, expected: FileStamp | undefined): boolean =>
  withGuard(directory, name, expected, () => rmSync(directory.at(name)))

/** Whether two paths are hard links to the same file. */
export const isSameFile = (a: string, b: string): boolean => {
  const [one, other] = [a, b].map((path) => lstatSync(path, { throwIfNoEntry: false }))
  return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev
}

// link(2) fails if the name exists; rename(2) would replace a file that was created meanwhile.
const createOnly = (from: string, to: string): boolean => {
  try {
    linkSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || !isUnchanged(to, 'absent')) return false
    // A file system without hard links.
    renameSync(from, to)
    return true
  }
  removeQuietly(from)
  return true
}

// The guard is a lock on one version of a file: its holder alone checks that version and replaces it.
const withGuard = (directory: Directory, name: string, expected: FileStamp | undefined, act: () => void): boolean => {
  if (expected === undefined) {
    act()
    return true
  }
  const guard = directory.at(guardName(expected))
  if (!takeGuard(guard)) return false
  try {
    if (!isUnchanged(directory.at(name), expected)) return false
    act()
    return true
  } finally {
    removeQuietly(guard)
  }
}

// A leftover is removed by a later run; it does not invalidate what was done.
const removeQuietly = (path: string): void => {
  try {
    rmSync(path, { force: true })
  } catch {
    // Left for a later run.
  }
}

// A dangling symlink is created atomically with its content, the owner.
const takeGuard = (guard: string): boolean => {
  const code = linkGuard(guard)
  if (code !== 'EEXIST' || !hasOwnerExited(readOwner(guard))) return code !== 'EEXIST'
  rmSync(guard, { force: true })
  return linkGuard(guard) !== 'EEXIST'
}

// Without symlinks there are no guards.
const linkGuard = (guard: string): string | undefined => {
  try {
    symlinkSync(OWNER, guard)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

const readOwner = (guard: string): string => {
  try {
    return readlinkSync(guard)
  } catch {
    return OWNER
  }
}

/** `file_changed` if it is no longer the expected version. */
export const removeFile = async (resolved: ResolvedPath, { expect }: { readonly expect?: FileStamp } = {}): Promise<Result<void>> => {
  if (resolved.name === '.') return isDirectory(resolved)
  const directory = await openDirectory(resolved)
  if (!directory.ok) return directory
  try {
    if (lstatSync(directory.value.at(resolved.name)).isDirectory()) return isDirectory(resolved)
    if (!removeIfUnchanged(directory.value, resolved.name, expect)) return fileChanged(resolved.shown)
    await directory.value.sync()
    return succeed(undefined)
  } catch (error) {
    return systemFault(error, 'write', resolved.shown)
  } finally {
    await directory.value.close()
  }
}

const isDirectory = ({ shown }: ResolvedPath): ReturnType<typeof fail> =>
  fail('path_denied', `'${preview(shown, 200)}' is a directory, and only files and links are deleted`, { path: preview(shown, 200) })
