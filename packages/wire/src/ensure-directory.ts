// Makes a directory with its parents. Node's `recursive` never ends where the kernel denies that an existing directory exists, as below
// /proc.

import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Throws if it cannot be made; each new directory gets `mode`. */
export const ensureDirectory = (directory: string, mode?: number): void => {
  if (isMade(directory, mode)) return
  ensureDirectory(dirname(directory), mode)
  if (!isMade(directory, mode)) mkdirSync(directory)
}

const isMade = (directory: string, mode: number | undefined): boolean => {
  try {
    mkdirSync(directory, { ...(mode === undefined ? {} : { mode }) })
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(directory).isDirectory()) return true
    if (code === 'ENOENT' && dirname(directory) !== directory) return false
    throw error
  }
}
