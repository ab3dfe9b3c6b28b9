// Looks up paths that may not exist or be readable: returns undefined, or an empty list, in place of an exception.

import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs'

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

export const listEntries = (directory: string): readonly Dirent[] => {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch {
    return []
  }
}
