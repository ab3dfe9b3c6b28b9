// Writes a file whole or not at all, and to the disk.

import { closeSync, constants, fsyncSync, renameSync, writeFileSync } from 'node:fs'
import { atOwnPath, openOwnFile } from '@plumb/wire/output'

const { O_CREAT, O_WRONLY, O_TRUNC } = constants

/** Throws what the system says. */
export const writeKept = (path: string, bytes: string | Buffer): void => {
  const fd = openOwnFile(`${path}.new`, O_CREAT | O_WRONLY | O_TRUNC, 0o600)
  try {
    writeFileSync(fd, bytes)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  atOwnPath(`${path}.new`, (from) => atOwnPath(path, (to) => renameSync(from, to)))
}
