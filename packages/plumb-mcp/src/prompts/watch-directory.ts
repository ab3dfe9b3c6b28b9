// Tells when something in a directory has changed, also when the directory is removed and made again.

import { type FSWatcher, statSync, watch } from 'node:fs'

/** Between the last of several changes and the call: a file that is being written is not read half. */
const QUIET_MS = 100
/** A directory that went away cannot tell that it is back. */
const LOOK_MS = 1000

/** Keeps no process alive. Returns how to stop. */
export const watchDirectory = (directory: string, changed: () => void): (() => void) => {
  let watcher: FSWatcher | undefined
  let seen: string | undefined
  let quiet: NodeJS.Timeout | undefined
  const touch = (): void => {
    clearTimeout(quiet)
    quiet = setTimeout(settle, QUIET_MS).unref()
  }
  // Whatever has changed, it may be that another directory has come in its place, perhaps with the number of the old one.
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
      // It is looked for again.
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
