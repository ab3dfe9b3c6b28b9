// Names of temporary files and guards, and the removal of those that a killed process left behind.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { lstat, readdir, readlink, rm } from 'node:fs/promises'
import type { FileStamp } from './file-stamp.js'
import type { Directory } from './open.js'
import { TEMPORARY_PREFIX } from './protected-paths.js'

export const temporaryName = (): string => `${TEMPORARY_PREFIX}${OWNER}-${randomBytes(6).toString('hex')}.new`
const TEMPORARY = /^\.plumb-(\d+-\d+)-[0-9a-f]{12}\.new$/

/** The same for all processes that saw this version of the file. */
export const guardName = ({ ino, mtimeMs }: FileStamp): string => `${TEMPORARY_PREFIX}${ino}-${mtimeMs}.guard`
const GUARD = /^\.plumb-\d+-[\d.]+\.guard$/

/** Removes a temporary file or guard if its process has exited. */
export const removeLeftover = async (directory: Directory, name: string): Promise<void> => {
  const owner = TEMPORARY.exec(name)?.[1] ?? (GUARD.test(name) ? await readlink(directory.at(name)).catch(() => undefined) : undefined)
  if (owner !== undefined && hasOwnerExited(owner)) await rm(directory.at(name), { force: true })
}

const swept = new Set<string>()

/** Removes what killed processes left in a directory; once a directory. */
export const removeLeftovers = async (directory: Directory): Promise<void> => {
  const { ino, dev } = await lstat(`${directory.at('.')}/.`)
  if (swept.has(`${dev}:${ino}`)) return
  swept.add(`${dev}:${ino}`)
  for (const name of await readdir(`${directory.at('.')}/`)) await removeLeftover(directory, name)
}

const HAS_PROC = process.platform === 'linux'

// `starttime`, field 22 of proc_pid_stat(5), unless it is a zombie. The program's name may contain anything and ends at the last parenthesis.
const startOf = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? undefined : fields[18]
  } catch {
    return undefined
  }
}

/** `PID-START` of this process, for names of files. Pids are reused, above all in containers. */
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
