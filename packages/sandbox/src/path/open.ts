// Opens resolved paths and checks what was opened, so that swapping a path after the check gains nothing.

import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, readlink, realpath, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Result, succeed } from '@plumb/wire'
import { TEMPORARY_PREFIX } from './protected-paths.js'
import { pathDenied, type ResolvedPath, systemFault } from './resolved-path.js'
import { foldName } from './trusted-names.js'

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
// A FIFO does not block, a link in the last component is refused, a terminal does not become the controlling one.
const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY

const HAS_PROC = process.platform === 'linux'

/** An open directory: names are relative to it, even if its path is changed meanwhile. */
export interface Directory {
  /** A path for fs calls, valid while the directory is open. */
  at(name: string): string
  /** fsync(2) of the directory, to make renames in it durable. Errors are ignored. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** Opens the directory of a resolved path; `create` makes missing directories. */
export const openDirectory = async (resolved: ResolvedPath, { create = false } = {}): Promise<Result<Directory>> => {
  let handle: FileHandle | undefined
  try {
    handle = await open(resolved.directory, DIRECTORY)
    if (!(await isAt(handle, resolved.directory))) {
      await closeQuietly(handle)
      return pathDenied(resolved.shown, 'it was moved while it was being opened')
    }
    let path = resolved.directory
    for (const name of resolved.missing) {
      const inside = pathIn(handle, path, name)
      if (create) await mkdir(inside).catch(unless('EEXIST'))
      const next = await open(inside, DIRECTORY)
      await closeQuietly(handle)
      handle = next
      path = join(path, name)
    }
    const directory = handle
    return succeed({
      at: (name) => (name === '.' ? pathTo(directory, path) : pathIn(directory, path, name)),
      sync: () => directory.sync().catch(() => {}),
      close: () => closeQuietly(directory),
    })
  } catch (error) {
    await closeQuietly(handle)
    return systemFault(error, create ? 'write' : 'read', resolved.shown)
  }
}

/** Closes a handle that was only read, ignoring errors. */
export const closeQuietly = async (handle: FileHandle | undefined): Promise<void> => {
  await handle?.close().catch(() => {})
}

/** Removes the directories that were made for a path, as far as they are empty. */
export const removeDirectories = async (resolved: ResolvedPath): Promise<void> => {
  for (let depth = resolved.missing.length; depth > 0; depth--) {
    const outer = await openDirectory({ ...resolved, missing: resolved.missing.slice(0, depth - 1) })
    if (!outer.ok) continue
    await rmdir(outer.value.at(resolved.missing[depth - 1] as string)).catch(() => {})
    await outer.value.close()
  }
}

/** Opens a regular file for reading; the caller closes it. */
export const openFile = async (resolved: ResolvedPath): Promise<Result<FileHandle>> => {
  const directory = await openDirectory(resolved)
  if (!directory.ok) return directory
  let handle: FileHandle | undefined
  try {
    handle = await open(directory.value.at(resolved.name), FILE)
    const stat = await handle.stat()
    const why = stat.isFile()
      ? await whyHardLinked(handle, stat, resolved, directory.value)
      : stat.isDirectory()
        ? 'it is a directory'
        : 'it is not a regular file'
    if (why === undefined) return succeed(handle)
    await closeQuietly(handle)
    return pathDenied(resolved.shown, why)
  } catch (error) {
    await closeQuietly(handle)
    return systemFault(error, 'read', resolved.shown)
  } finally {
    await directory.value.close()
  }
}

/**
 * The bytes of a regular file of an open directory; undefined if it is larger, or where `openFile` has to decide. For scans of many files:
 * synchronous calls take a tenth of the processor's time, and so small a file is read at once.
 */
export const readSmallFile = (directory: Directory, resolved: ResolvedPath, maxBytes: number): Buffer | undefined => {
  // Elsewhere the directory would be looked up by its path again.
  if (!HAS_PROC) return undefined
  let fd: number | undefined
  try {
    fd = openSync(directory.at(resolved.name), FILE)
    const stat = fstatSync(fd)
    const isSimple = stat.isFile() && stat.nlink <= 1 && stat.size > 0 && stat.size <= maxBytes
    if (!isSimple) return isEmpty(stat, fd) ? Buffer.alloc(0) : undefined
    const bytes = Buffer.allocUnsafe(stat.size)
    return bytes.subarray(0, readSync(fd, bytes, 0, stat.size, 0))
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

// Files of /proc have no size and yet something to read.
const isEmpty = (stat: Stats, fd: number): boolean =>
  stat.isFile() && stat.nlink === 1 && stat.size === 0 && readSync(fd, Buffer.alloc(1), 0, 1, 0) === 0

// /proc gives the path of an open directory; other systems resolve the path again. Another directory below the same root may be a protected one.
const isAt = async (handle: FileHandle, path: string): Promise<boolean> =>
  (HAS_PROC ? await readlink(`/proc/self/fd/${handle.fd}`) : await realpath(path)) === path

const pathTo = (handle: FileHandle, path: string): string => (HAS_PROC ? `/proc/self/fd/${handle.fd}` : path)
const pathIn = (handle: FileHandle, path: string, name: string): string => `${pathTo(handle, path)}/${name}`

const unless =
  (...codes: readonly string[]) =>
  (error: NodeJS.ErrnoException): void => {
    if (!codes.includes(error.code ?? '')) throw error
  }

/** Package managers hard-link installed files to their store. */
const LINKED_DIRECTORIES = new Set(['node_modules', 'site-packages'])
/** A write of plumb that is in progress gives a file a second name for a moment. */
const MAX_ATTEMPTS = 5

/** Why a file with hard links is not read; undefined if it may be. `stat` is of the open file. */
const whyHardLinked = async (
  handle: FileHandle,
  stat: Stats,
  resolved: ResolvedPath,
  directory: Directory,
): Promise<string | undefined> => {
  if (stat.nlink <= 1 || resolved.allowsHardLinks || isInstalled(resolved)) return undefined
  let now = stat
  for (let looks = 0; looks < MAX_ATTEMPTS; looks++) {
    const own = await ownNames(stat, directory)
    const before = now
    now = await handle.stat()
    if (now.nlink - own <= 1) return undefined
    if (now.nlink === before.nlink && looks > 0) break
  }
  return `it has ${now.nlink} hard links, and where the others are is not known; 'hard_links: true' on its root allows it`
}

const isInstalled = ({ root, shown }: ResolvedPath): boolean =>
  [...shown.split('/').slice(0, -1), ...root.split('/')].some((name) => LINKED_DIRECTORIES.has(foldName(name)))

const ownNames = async ({ ino, dev }: Stats, directory: Directory): Promise<number> => {
  const names = (await readdir(`${directory.at('.')}/`)).filter((name) => name.startsWith(TEMPORARY_PREFIX))
  const stats = await Promise.all(names.map((name) => lstat(directory.at(name)).catch(() => undefined)))
  return stats.filter((found) => found?.ino === ino && found.dev === dev).length
}
