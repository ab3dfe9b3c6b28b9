// Looks up paths that may not exist or be readable: returns undefined, or an empty list, in place of an exception.

import { closeSync, constants, type Dirent, lstatSync, openSync, readdirSync, readSync, realpathSync, type Stats, statSync } from 'node:fs'

/** The path with all links resolved. */
export const findRealPath = (path: string): string | undefined => {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

/** As `findRealPath`; a path that does not exist stays as it is. */
export const toRealPath = (path: string): string => findRealPath(path) ?? path

/** Links are followed. */
export const findStat = (path: string): Stats | undefined => {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** Links are not followed. */
export const findLinkStat = (path: string): Stats | undefined => {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

/** Of a regular file, as UTF-8. */
export const readBeginning = (path: string, bytes: number): string | undefined => {
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const beginning = Buffer.alloc(bytes)
    return beginning.toString('utf8', 0, readSync(fd, beginning))
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

export const listEntries = (directory: string): readonly Dirent[] => {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch {
    return []
  }
}
