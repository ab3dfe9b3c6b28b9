// The file of --output: cut to what the tables say is written, so that each line is there once, whichever process is killed.

import { closeSync, constants, fsyncSync, ftruncateSync, readSync } from 'node:fs'
import { type Fault, fail, fault, type Result, succeed, systemReason } from '@plumb/wire'
import { openOwnFile } from '@plumb/wire/output'

export interface OutputFile {
  /** For appending. */
  readonly fd: number
  /** `file_changed`: it has fewer. Lines after them were written and not counted, and come again. */
  cutTo(lines: number): Fault | undefined
  /** Syncs the file. */
  sync(): Fault | undefined
}

const CHUNK = 64 * 1024
const LF = 10

/** `file_not_found`: it cannot be written to. */
export const openOutputFile = (path: string): Result<OutputFile> => {
  const attempt = (work: () => Fault | undefined): Fault | undefined => {
    try {
      return work()
    } catch (error) {
      return fault('write_failed', `cannot write to '${path}': ${systemReason(error as NodeJS.ErrnoException)}`)
    }
  }
  let fd: number
  try {
    fd = openOwnFile(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT)
  } catch (error) {
    return fail('file_not_found', `cannot write to '${path}': ${systemReason(error as NodeJS.ErrnoException)}`)
  }
  return succeed({
    fd,
    cutTo: (lines) =>
      attempt(() => {
        const { bytes, found } = endOfLines(fd, lines)
        if (found === lines) {
          ftruncateSync(fd, bytes)
          return undefined
        }
        closeSync(fd)
        return fault('file_changed', `'${path}' has ${found} lines, and the run has written ${lines} of them`)
      }),
    sync: () =>
      attempt(() => {
        fsyncSync(fd)
        return undefined
      }),
  })
}

/** The offset after so many lines, or as many as there are. */
const endOfLines = (fd: number, lines: number): { readonly bytes: number; readonly found: number } => {
  const chunk = Buffer.allocUnsafe(CHUNK)
  let found = 0
  let bytes = 0
  for (let at = 0; found < lines; ) {
    const read = readSync(fd, chunk, 0, CHUNK, at)
    if (read === 0) break
    for (let i = chunk.indexOf(LF); i >= 0 && i < read && found < lines; i = chunk.indexOf(LF, i + 1)) {
      found++
      bytes = at + i + 1
    }
    at += read
  }
  return { bytes, found }
}
