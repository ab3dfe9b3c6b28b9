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
  listed ??= listedHome()
  return [...new Set([homedir(), ...listed])].filter((home) => home !== '/')
}

/** That of the user database, which is read once: a plan asks for it some twenty times. */
let listed: readonly string[] | undefined

const listedHome = (): readonly string[] => {
  try {
    return [userInfo().homedir]
  } catch {
    // The user has no entry.
    return []
  }
}

/** Whether the folder belongs to all users, or to another one. */
export const isSharedFolder = (folder: string): boolean =>
  !homes().includes(folder) && (SHARED.has(folder) || dirname(folder) === '/home' || dirname(folder) === '/run/user')

/** Whether the folder is shared, a home folder, or holds one. */
export const isTooBroad = (folder: string): boolean =>
  isSharedFolder(folder) || homes().some((home) => home === folder || home.startsWith(`${folder}/`))
