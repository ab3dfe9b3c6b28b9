// A folder with its parents. Node's `recursive` never ends where the kernel denies that an existing folder exists, as below /proc.

import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Throws where it cannot be made; `mode` is that of each that is made. */
export const makeFolder = (folder: string, mode?: number): void => {
  if (isMade(folder, mode)) return
  makeFolder(dirname(folder), mode)
  if (!isMade(folder, mode)) mkdirSync(folder)
}

const isMade = (folder: string, mode: number | undefined): boolean => {
  try {
    mkdirSync(folder, { ...(mode === undefined ? {} : { mode }) })
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return true
    if (code === 'ENOENT' && dirname(folder) !== folder) return false
    throw error
  }
}
