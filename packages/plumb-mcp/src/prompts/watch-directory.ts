// Watches a directory for changes, also when it is removed and made again.

import { type FSWatcher, statSync, watch } from 'node:fs'

/** Time between the last of several changes and the call, so that a file that is being written is not read half (ms). */
const QUIET_MS = 100
/** Polls for a removed directory, which sends no event when it is back. */
const LOOK_MS = 1000

/** Keeps no process alive. Returns a function that stops it. */
export const watchDirectory = (directory: string, changed: () => void): (() => void) => {
  let watcher: FSWatcher | undefined
  let seen: string | undefined
  let quiet: NodeJS.Timeout | undefined
  const touch = (): void => {
    clearTimeout(quiet)
    quiet = setTimeout(settle, QUIET_MS).unref()
  }
  // The directory may have been replaced by another one, perhaps with the inode of the old one.
  const settle = (): void => {
    arm()
    changed()
  }
  const arm = (): void => {
    watcher?.close()
    watcher = undefined
    seen = identityOf(directory)
    try {
      watcher = watch(directory, { persistent: false }, touch)
      watcher.on('error', touch)
    } catch {
      // It is looked up again.
    }
  }
  const look = (): void => {
    if (identityOf(directory) !== seen || (seen !== undefined && !watcher)) touch()
  }
  arm()
  const timer = setInterval(look, LOOK_MS).unref()
  return () => {
    clearInterval(timer)
    clearTimeout(quiet)
    watcher?.close()
  }
}

const identityOf = (directory: string): string | undefined => {
  const stat = statSync(directory, { throwIfNoEntry: false })
  return stat && `${stat.dev} ${stat.ino} ${stat.birthtimeMs}`
}
