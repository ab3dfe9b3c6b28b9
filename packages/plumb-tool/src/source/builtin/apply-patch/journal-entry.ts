// One change of a patch on the disk: the names beside its place that it needs meanwhile, and how it is brought to an end in either direction.

import { lstatSync, renameSync } from 'node:fs'
import { lstat, readFile, rm } from 'node:fs/promises'
import { type Expected, isStill } from '../../path/file-stamp.js'
import { type Folder, openFolder, removeFolders } from '../../path/open.js'
import { isSameFile, replaceFile, takeAway } from '../../path/replace-file.js'
import type { Place } from '../../path/resolved-path.js'
import { guardName, removeLeftOver } from '../../path/temporary-files.js'
import { sha256Of } from '../file/text-file.js'

export interface Entry {
  /** Relative to the folder of the journal, with `/`. */
  readonly path: string
  /** How many of the folders it is in are made for it. */
  readonly made: number
  readonly old: Expected
  /** Beside it: what it becomes, and its sum. Absent: it is removed. */
  readonly fresh?: { readonly name: string; readonly sha256: string }
  /** Beside it: what it was. */
  readonly backup?: string
}

/** `stage`: nothing is in its place yet. `complete`: all is staged, and is put. `undo`: all was staged, and what was put is taken back. */
export type Direction = 'stage' | 'complete' | 'undo'

/** Somebody else has changed what this was still to change. */
export const isHindered = async (entry: Entry, place: Place): Promise<boolean> =>
  (await inFolder(place, async (folder) => !isPut(entry, folder, place) && !isStill(folder.at(place.name), entry.old))) ?? true

/** Does what is left to do, and leaves nothing beside the place. Throws where that cannot be done now; may be begun again. */
export const settle = async (entry: Entry, place: Place, direction: Direction): Promise<void> => {
  await inFolder(place, async (folder) => {
    if (direction === 'complete' && !isPut(entry, folder, place)) put(entry, folder, place)
    if (direction === 'undo') await takeBack(entry, folder, place)
    if (entry.fresh) await rm(folder.at(entry.fresh.name), { force: true })
    if (entry.backup !== undefined) await rm(folder.at(entry.backup), { force: true })
    if (entry.old !== 'absent') await removeLeftOver(folder, guardName(entry.old))
    await folder.sync()
  })
  if (direction !== 'complete') await removeFolders(place)
}

/** Looks and changes in one turn. False: it is no longer what it was. */
export const put = ({ fresh, old }: Entry, folder: Folder, { name }: Place): boolean => {
  if (fresh) return replaceFile(folder, fresh.name, name, old)
  return old !== 'absent' && takeAway(folder, name, old)
}

// What others have made of it since stays.
const takeBack = async (entry: Entry, folder: Folder, place: Place): Promise<void> => {
  if (!isPut(entry, folder, place) || !(await isOurs(entry, folder, place))) return
  const target = folder.at(place.name)
  if (entry.backup !== undefined) renameSync(folder.at(entry.backup), target)
  else await rm(target, { force: true })
}

// What was staged and is not there any more has been put; perhaps a moment ago.
const isPut = ({ fresh }: Entry, folder: Folder, { name }: Place): boolean => {
  const target = folder.at(name)
  return fresh ? !isThere(folder.at(fresh.name)) || isSameFile(folder.at(fresh.name), target) : !isThere(target)
}

const isOurs = async ({ fresh }: Entry, folder: Folder, { name }: Place): Promise<boolean> => {
  const target = folder.at(name)
  if (!fresh) return true
  const stat = await lstat(target).catch(() => undefined)
  return stat?.isFile() === true && sha256Of(await readFile(target)) === fresh.sha256
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

const inFolder = async <T>(place: Place, work: (folder: Folder) => Promise<T>): Promise<T | undefined> => {
  const folder = await openFolder(place)
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
