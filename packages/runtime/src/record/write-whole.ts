// Writes bytes to a file, atomically, or to stdout.

import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type Fault, fault, systemReason, writeStdout } from '@plumb/wire'
import { atOwnPath, isGuarded, openOwnFile } from '@plumb/wire/output'

/** Resolves to `write_failed` if they did not get there. A reader of stdout that goes away is not a fault. */
export const writeWhole = async (bytes: Uint8Array, path: string | undefined): Promise<Fault | undefined> =>
  path === undefined ? writeStdout(bytes) : toFile(bytes, path)

const toFile = (bytes: Uint8Array, path: string): Fault | undefined =>
  attempt(path, () => {
    const old = atOwnPath(path, (at) => (isGuarded(path) ? lstatSync : statSync)(at, { throwIfNoEntry: false }))
    // A device or a pipe is written to, not replaced; a link stays a link, or is refused.
    if (old && !old.isFile()) writeTo(openOwnFile(path, constants.O_WRONLY | constants.O_TRUNC), bytes)
    else atOwnPath(old && !isGuarded(path) ? realpathSync(path) : path, (at) => replace(at, bytes, old))
  })

const writeTo = (fd: number, bytes: Uint8Array): void => {
  try {
    writeFileSync(fd, bytes)
  } finally {
    closeSync(fd)
  }
}

const replace = (target: string, bytes: Uint8Array, old: Stats | undefined): void => {
  const fresh = join(dirname(target), `.plumb-${process.pid}.new`)
  try {
    writeSynced(fresh, bytes, old)
    renameSync(fresh, target)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}

// With the mode of the old file, and for the superuser its owner too; synced before it replaces the old one.
const writeSynced = (path: string, bytes: Uint8Array, old: Stats | undefined): void => {
  const fd = openSync(path, 'wx', old?.mode)
  try {
    writeFileSync(fd, bytes)
    if (old && process.getuid?.() === 0) fchownSync(fd, old.uid, old.gid)
    if (old) fchmodSync(fd, old.mode & 0o7777)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

const attempt = (path: string, write: () => void): Fault | undefined => {
  try {
    write()
    return undefined
  } catch (error) {
    return fault('write_failed', `cannot write '${path}': ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}
