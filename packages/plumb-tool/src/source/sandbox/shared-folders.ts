// Folders that hold more than one piece of work: of these a sandbox sees the files that are meant, and not the rest.

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

/** The user's, by the environment and by the system. */
export const homes = (): readonly string[] => {
  const found = new Set([homedir()])
  try {
    found.add(userInfo().homedir)
  } catch {
    // A user without an entry.
  }
  found.delete('/')
  return [...found]
}

/** A folder that belongs to all, or to another user. */
export const isSharedFolder = (folder: string): boolean =>
  !homes().includes(folder) && (SHARED.has(folder) || dirname(folder) === '/home' || dirname(folder) === '/run/user')

/** That, a home folder, or what holds one. */
export const isTooBroad = (folder: string): boolean =>
  isSharedFolder(folder) || homes().some((home) => home === folder || home.startsWith(`${folder}/`))
