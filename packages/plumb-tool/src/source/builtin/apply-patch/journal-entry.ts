// One change of a patch on the disk: the names beside its place that it needs meanwhile, and how it is brought to an end in either direction.

import { lstatSync, renameSync } from 'node:fs'
import { lstat, readFile, rm } from 'node:fs/promises'
import { type ExpectedFile, isUnchanged } from '../../path/file-stamp.js'
import { type Folder, openFolder, removeFolders } from '../../path/open.js'
import { isSameFile, removeIfUnchanged, replaceFile } from '../../path/replace-file.js'
import type { ResolvedPath } from '../../path/resolved-path.js'
import { guardName, removeLeftover } from '../../path/temporary-files.js'
import { sha256Of } from '../file/text-file.js'

export interface JournalEntry {
  /** Relative to the folder of the journal, with `/`. */
  readonly path: string
  /** How many of the folders it is in are made for it. */
  readonly made: number
  readonly old: ExpectedFile
  /** Beside it: what it becomes, and its sum. Absent: it is removed. */
  readonly fresh?: { readonly name: string; readonly sha256: string }
  /** Beside it: what it was. */
  readonly backup?: string
}

/** `stage`: nothing is in its place yet. `complete`: all is staged, and is put. `undo`: all was staged, and what was put is taken back. */
export type JournalState = 'stage' | 'complete' | 'undo'

/** Somebody else has changed what this was still to change. */
export const hasConflict = async (entry: JournalEntry, resolved: ResolvedPath): Promise<boolean> =>
  (await inFolder(resolved, async (folder) => !isPut(entry, folder, resolved) && !isUnchanged(folder.at(resolved.name), entry.old))) ?? true

/** Does what is left to do, and leaves nothing beside the place. Throws where that cannot be done now; may be begun again. */
export const finishEntry = async (entry: JournalEntry, resolved: ResolvedPath, direction: JournalState): Promise<void> => {
  await inFolder(resolved, async (folder) => {
    if (direction === 'complete' && !isPut(entry, folder, resolved)) applyEntry(entry, folder, resolved)
    if (direction === 'undo') await takeBack(entry, folder, resolved)
    if (entry.fresh) await rm(folder.at(entry.fresh.name), { force: true })
    if (entry.backup !== undefined) await rm(folder.at(entry.backup), { force: true })
    if (entry.old !== 'absent') await removeLeftover(folder, guardName(entry.old))
    await folder.sync()
  })
  if (direction !== 'complete') await removeFolders(resolved)
}

/** Looks and changes in one turn. False: it is no longer what it was. */
export const applyEntry = ({ fresh, old }: JournalEntry, folder: Folder, { name }: ResolvedPath): boolean => {
  if (fresh) return replaceFile(folder, fresh.name, name, old)
  return old !== 'absent' && removeIfUnchanged(folder, name, old)
}

// What others have made of it since stays.
const takeBack = async (entry: JournalEntry, folder: Folder, resolved: ResolvedPath): Promise<void> => {
  if (!isPut(entry, folder, resolved) || !(await isOurs(entry, folder, resolved))) return
  const target = folder.at(resolved.name)
  if (entry.backup !== undefined) renameSync(folder.at(entry.backup), target)
  else await rm(target, { force: true })
}

// What was staged and is not there any more has been put; perhaps a moment ago.
const isPut = ({ fresh }: JournalEntry, folder: Folder, { name }: ResolvedPath): boolean => {
  const target = folder.at(name)
  return fresh ? !isThere(folder.at(fresh.name)) || isSameFile(folder.at(fresh.name), target) : !isThere(target)
}

const isOurs = async ({ fresh }: JournalEntry, folder: Folder, { name }: ResolvedPath): Promise<boolean> => {
  const target = folder.at(name)
  if (!fresh) return true
  const stat = await lstat(target).catch(() => undefined)
  return stat?.isFile() === true && sha256Of(await readFile(target)) === fresh.sha256
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

const inFolder = async <T>(resolved: ResolvedPath, work: (folder: Folder) => Promise<T>): Promise<T | undefined> => {
  const folder = await openFolder(resolved)
  if (!folder.ok) {
    // Nothing is where there is no folder; in one that cannot be opened now there may be all.
    if (folder.error.error === 'no_such_file') return undefined
    throw new Error(folder.error.detail)
  }
  try {
    return await work(folder.value)
  } finally {
    await folder.value.close()
  }
}
