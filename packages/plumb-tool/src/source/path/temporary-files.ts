// The names of files that are there while another is written, and what becomes of those whose writer was killed.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { lstat, readdir, readlink, rm } from 'node:fs/promises'
import type { FileStamp } from './file-stamp.js'
import type { Folder } from './open.js'
import { TEMPORARY_PREFIX } from './protected-paths.js'

export const temporaryName = (): string => `${TEMPORARY_PREFIX}${OWNER}-${randomBytes(6).toString('hex')}.new`
const TEMPORARY = /^\.plumb-(\d+-\d+)-[0-9a-f]{12}\.new$/

/** The same for all who have seen the file in this state. */
export const guardName = ({ ino, mtimeMs }: FileStamp): string => `${TEMPORARY_PREFIX}${ino}-${mtimeMs}.guard`
const GUARD = /^\.plumb-\d+-[\d.]+\.guard$/

/** Removes it if it is one that a killed process has left. */
export const removeLeftover = async (folder: Folder, name: string): Promise<void> => {
  const owner = TEMPORARY.exec(name)?.[1] ?? (GUARD.test(name) ? await readlink(folder.at(name)).catch(() => undefined) : undefined)
  if (owner !== undefined && hasOwnerExited(owner)) await rm(folder.at(name), { force: true })
}

const swept = new Set<string>()

/** Looked for once a folder. */
export const removeLeftovers = async (folder: Folder): Promise<void> => {
  const { ino, dev } = await lstat(`${folder.at('.')}/.`)
  if (swept.has(`${dev}:${ino}`)) return
  swept.add(`${dev}:${ino}`)
  for (const name of await readdir(`${folder.at('.')}/`)) await removeLeftover(folder, name)
}

const HAS_PROC = process.platform === 'linux'

// The 22nd field; the name of the program before it may hold anything, and ends with the last parenthesis.
const startOf = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

/** `PID-START`, as names of files have it. Numbers of processes come again, above all in containers. */
export const OWNER = `${process.pid}-${(HAS_PROC && startOf(process.pid)) || 0}`

export const hasOwnerExited = (owner: string): boolean => {
  if (owner === OWNER) return false
  const [pid, start] = owner.split('-')
  return HAS_PROC ? startOf(Number(pid)) !== start : !isRunning(Number(pid))
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
