// Folders that are too broad to mount whole: shared by users or holding home folders.

import { homedir, userInfo } from 'node:os'
import { dirname } from 'node:path'

const SHARED = new Set([
  '/',
  '/tmp',
  '/var',
  '/var/tmp',
  '/home',
  '/root',
  '/run',
  '/proc',
  '/sys',
  '/dev',
  '/mnt',
  '/media',
  '/srv',
  '/Users',
])

/** The user's home folders, by $HOME and by the user database. */
export const homes = (): readonly string[] => {
  const found = new Set([homedir()])
  try {
    found.add(userInfo().homedir)
  } catch {
    // The user has no entry.
  }
  found.delete('/')
  return [...found]
}

/** Whether the folder belongs to all users, or to another one. */
export const isSharedFolder = (folder: string): boolean =>
  !homes().includes(folder) && (SHARED.has(folder) || dirname(folder) === '/home' || dirname(folder) === '/run/user')

/** Whether the folder is shared, a home folder, or holds one. */
export const isTooBroad = (folder: string): boolean =>
  isSharedFolder(folder) || homes().some((home) => home === folder || home.startsWith(`${folder}/`))
