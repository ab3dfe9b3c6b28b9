// One change of a patch as the journal stores it, and how to complete it or undo it. Each step may be repeated after a crash.

import { lstatSync, renameSync } from 'node:fs'
import { lstat, readFile, rm } from 'node:fs/promises'
import {
  type Directory,
  type ExpectedFile,
  guardName,
  isSameFile,
  isUnchanged,
  openDirectory,
  type ResolvedPath,
  removeDirectories,
  removeIfUnchanged,
  removeLeftover,
  replaceFile,
} from '@plumb/sandbox'
import { sha256Of } from '@plumb/wire'

export interface JournalEntry {
  /** Relative to the directory of the journal, separated by `/`. */
  readonly path: string
  /** Number of parent directories that are created for it. */
  readonly made: number
  readonly old: ExpectedFile
  /** The staged new file beside it, with its checksum; undefined if the file is removed. */
  readonly fresh?: { readonly name: string; readonly sha256: string }
  /** The backup of the old file beside it. */
  readonly backup?: string
}

/**
 * State of a patch, in the name of its journal:
 *   stage     new files are being staged; nothing is in place yet
 *   complete  all is staged; files are being renamed into place
 *   undo      a rename was refused; files in place are being restored
 */
export type JournalState = 'stage' | 'complete' | 'undo'

/** Whether another process has changed the file before this change was applied. */
export const hasConflict = async (entry: JournalEntry, resolved: ResolvedPath): Promise<boolean> =>
  (await inDirectory(
    resolved,
    async (directory) => !isPut(entry, directory, resolved) && !isUnchanged(directory.at(resolved.name), entry.old),
  )) ?? true

/** Finishes the change in the given state and removes staged files and backups. Throws if that fails now; may be repeated. */
export const finishEntry = async (entry: JournalEntry, resolved: ResolvedPath, direction: JournalState): Promise<void> => {
  await inDirectory(resolved, async (directory) => {
    if (direction === 'complete' && !isPut(entry, directory, resolved)) applyEntry(entry, directory, resolved)
    if (direction === 'undo') await takeBack(entry, directory, resolved)
    if (entry.fresh) await rm(directory.at(entry.fresh.name), { force: true })
    if (entry.backup !== undefined) await rm(directory.at(entry.backup), { force: true })
    if (entry.old !== 'absent') await removeLeftover(directory, guardName(entry.old))
    await directory.sync()
  })
  if (direction !== 'complete') await removeDirectories(resolved)
}

/** Applies the change synchronously. False if the file is no longer the expected version. */
export const applyEntry = ({ fresh, old }: JournalEntry, directory: Directory, { name }: ResolvedPath): boolean => {
  if (fresh) return replaceFile(directory, fresh.name, name, old)
  return old !== 'absent' && removeIfUnchanged(directory, name, old)
}

// Later changes of others are kept.
const takeBack = async (entry: JournalEntry, directory: Directory, resolved: ResolvedPath): Promise<void> => {
  if (!isPut(entry, directory, resolved) || !(await isOurs(entry, directory, resolved))) return
  const target = directory.at(resolved.name)
  if (entry.backup !== undefined) renameSync(directory.at(entry.backup), target)
  else await rm(target, { force: true })
}

// A staged file that no longer exists has been renamed into place.
const isPut = ({ fresh }: JournalEntry, directory: Directory, { name }: ResolvedPath): boolean => {
  const target = directory.at(name)
  return fresh ? !isThere(directory.at(fresh.name)) || isSameFile(directory.at(fresh.name), target) : !isThere(target)
}

const isOurs = async ({ fresh }: JournalEntry, directory: Directory, { name }: ResolvedPath): Promise<boolean> => {
  const target = directory.at(name)
  if (!fresh) return true
  const stat = await lstat(target).catch(() => undefined)
  return stat?.isFile() === true && sha256Of(await readFile(target)) === fresh.sha256
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

const inDirectory = async <T>(resolved: ResolvedPath, work: (directory: Directory) => Promise<T>): Promise<T | undefined> => {
  const directory = await openDirectory(resolved)
  if (!directory.ok) {
    // A missing directory has nothing to finish; a directory that cannot be opened now may have.
    if (directory.error.error === 'no_such_file') return undefined
    throw new Error(directory.error.detail)
  }
  try {
    return await work(directory.value)
  } finally {
    await directory.value.close()
  }
}
