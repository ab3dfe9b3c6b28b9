// Puts a file in the place of another, or takes it away, if that is still the one that is expected: of several processes that have seen the same
// one, one gets its way.

import { linkSync, lstatSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { type ExpectedFile, type FileStamp, isUnchanged } from './file-stamp.js'
import type { Folder } from './open.js'
import { guardName, hasOwnerExited, OWNER } from './temporary-files.js'

/** `fresh` stands beside it, and is gone when this returns true. Undefined: whatever is there. */
export const replaceFile = (folder: Folder, fresh: string, name: string, expected: ExpectedFile | undefined): boolean => {
  const [from, to] = [folder.at(fresh), folder.at(name)]
  if (expected === 'absent') return putWhereNoneIs(from, to)
  return guarded(folder, name, expected, () => renameSync(from, to))
}

export const removeIfUnchanged = (folder: Folder, name: string, expected: FileStamp | undefined): boolean =>
  guarded(folder, name, expected, () => rmSync(folder.at(name)))

/** Two names of one file. */
export const isSameFile = (a: string, b: string): boolean => {
  const [one, other] = [a, b].map((path) => lstatSync(path, { throwIfNoEntry: false }))
  return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev
}

// A rename would replace what has come there in between; a link does not.
const putWhereNoneIs = (from: string, to: string): boolean => {
  try {
    linkSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || !isUnchanged(to, 'absent')) return false
    // A file system without links.
    renameSync(from, to)
    return true
  }
  removeQuietly(from)
  return true
}

// Whoever has the guard of a state of a file is the only one to look whether it is still in that state, and to end it.
const guarded = (folder: Folder, name: string, expected: FileStamp | undefined, act: () => void): boolean => {
  if (expected === undefined) {
    act()
    return true
  }
  const guard = folder.at(guardName(expected))
  if (!take(guard)) return false
  try {
    if (!isUnchanged(folder.at(name), expected)) return false
    act()
    return true
  } finally {
    removeQuietly(guard)
  }
}

// What is left is removed by whoever comes later: that it is there does not make what was done undone.
const removeQuietly = (path: string): void => {
  try {
    rmSync(path, { force: true })
  } catch {
    // As said.
  }
}

// A link to nothing is made whole at once, and says whose it is.
const take = (guard: string): boolean => {
  const code = link(guard)
  if (code !== 'EEXIST' || !hasOwnerExited(ownerOf(guard))) return code !== 'EEXIST'
  rmSync(guard, { force: true })
  return link(guard) !== 'EEXIST'
}

// A file system without them has no guards.
const link = (guard: string): string | undefined => {
  try {
    symlinkSync(OWNER, guard)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

const ownerOf = (guard: string): string => {
  try {
    return readlinkSync(guard)
  } catch {
    return OWNER
  }
}
