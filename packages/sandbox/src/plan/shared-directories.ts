// Directories that are too broad to mount whole: shared by users or holding home directories.

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

/** The user's home directories, by $HOME and by the user database. */
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

/** Whether the directory belongs to all users, or to another one. */
export const isSharedDirectory = (directory: string): boolean =>
  !homes().includes(directory) && (SHARED.has(directory) || dirname(directory) === '/home' || dirname(directory) === '/run/user')

/** Whether the directory is shared, a home directory, or holds one. */
export const isTooBroad = (directory: string): boolean =>
  isSharedDirectory(directory) || homes().some((home) => home === directory || home.startsWith(`${directory}/`))
