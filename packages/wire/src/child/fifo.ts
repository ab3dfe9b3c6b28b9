// Pipes that have a name in the file system until both ends are open.

import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemProgram } from './resolve-program.js'

/** Two descriptors of this process, both blocking. */
export interface Pipe {
  readonly reader: number
  readonly writer: number
}

/** Undefined if one cannot be made: no `mkfifo`, or no free descriptors. */
export const makeFifos = (count: number): Pipe[] | undefined => {
  const open: number[] = []
  let directory: string | undefined
  try {
    directory = mkdtempSync(join(tmpdir(), 'plumb-'))
    const paths = Array.from({ length: count }, (_, i) => join(directory as string, String(i)))
    const { spawnSync } = require('node:child_process') as typeof import('node:child_process')
    if (spawnSync(systemProgram('mkfifo') ?? '/usr/bin/mkfifo', ['-m', '600', ...paths], { stdio: 'ignore' }).status !== 0) return undefined
    return paths.map((path) => openBoth(path, open))
  } catch {
    for (const fd of open) closeSync(fd)
    return undefined
  } finally {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
  }
}

// Opening either end waits for the other, except a non-blocking read; the child needs an end that blocks.
const openBoth = (path: string, open: number[]): Pipe => {
  const first = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  open.push(first)
  const writer = openSync(path, constants.O_WRONLY)
  open.push(writer)
  const reader = openSync(path, constants.O_RDONLY)
  open.push(reader)
  closeSync(first)
  open.splice(open.indexOf(first), 1)
  return { reader, writer }
}
