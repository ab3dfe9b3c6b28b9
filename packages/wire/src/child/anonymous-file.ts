// Bytes on a descriptor that a child reads to its end, such as a filter: a file without a name, so that there is nothing to wait for.

import { closeSync, constants, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** O_TMPFILE, which Node has no name for: it says O_DIRECTORY too. */
const TEMPORARY = 0o20000000 | constants.O_DIRECTORY
const OWNER_ONLY = 0o600

/**
 * A descriptor of ours, at their beginning; throws where the system has no room for them. Not for what is secret: they may reach a disk.
 */
export const openAnonymousFile = (bytes: Uint8Array): number => {
  const fd = openUnlinked()
  try {
    // At a place of its own, so that the descriptor stays at the beginning.
    let written = 0
    while (written < bytes.length) written += writeSync(fd, bytes, written, bytes.length - written, written)
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** An empty one, to which several processes append; throws where none can be made. */
export const openAnonymousLog = (): number => openUnlinked(true)

/** Where TMPDIR leads nowhere, memory will do. */
const MEMORY = '/dev/shm'

const openUnlinked = (isLog = false): number => {
  for (const directory of process.platform === 'linux' ? [tmpdir(), MEMORY] : []) {
    try {
      return openSync(directory, constants.O_RDWR | TEMPORARY | (isLog ? constants.O_APPEND : 0), OWNER_ONLY)
    } catch {
      // Not every file system has them.
    }
  }
  const { randomUUID } = require('node:crypto') as typeof import('node:crypto')
  const path = join(tmpdir(), `.plumb-${randomUUID()}`)
  const fd = openSync(path, isLog ? 'ax+' : 'wx+', OWNER_ONLY)
  rmSync(path)
  return fd
}
