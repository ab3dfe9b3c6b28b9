// The names of files that are there while another is written, and what becomes of those whose writer was killed.

import { randomBytes } from 'node:crypto'
import { lstat, readdir, readlink, rm } from 'node:fs/promises'
import { hasOwnerExited, OWNER } from './file-owner.js'
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
