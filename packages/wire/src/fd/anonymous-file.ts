// Bytes on a descriptor that a child reads to the end, such as a filter: an unnamed file, so that nothing has to wait for the reader.

import { closeSync, constants, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** O_TMPFILE, which Node does not name. It includes O_DIRECTORY. */
const TEMPORARY = 0o20000000 | constants.O_DIRECTORY
const OWNER_ONLY = 0o600

/** Returns a descriptor at the beginning of the bytes; throws if the system has no space. Not for secrets: the bytes may reach a disk. */
export const openAnonymousFile = (bytes: Uint8Array): number => {
  const fd = openUnlinked()
  try {
    // Written at an explicit position, so that the descriptor stays at the beginning.
    let written = 0
    while (written < bytes.length) written += writeSync(fd, bytes, written, bytes.length - written, written)
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** An empty file to which several processes append. Throws if none can be made. */
export const openAnonymousLog = (): number => openUnlinked(true)

/** If TMPDIR is unusable, memory is used. */
const MEMORY = '/dev/shm'

const openUnlinked = (isLog = false): number => {
  for (const directory of process.platform === 'linux' ? [tmpdir(), MEMORY] : []) {
    try {
      return openSync(directory, constants.O_RDWR | TEMPORARY | (isLog ? constants.O_APPEND : 0), OWNER_ONLY)
    } catch {
      // Not every file system supports them.
    }
  }
  const { randomUUID } = require('node:crypto') as typeof import('node:crypto')
  const path = join(tmpdir(), `.plumb-${randomUUID()}`)
  const fd = openSync(path, isLog ? 'ax+' : 'wx+', OWNER_ONLY)
  rmSync(path)
  return fd
}
