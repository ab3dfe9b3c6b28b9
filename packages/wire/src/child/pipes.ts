// Pipes that a child can open again by name (`/dev/fd/6`, `/dev/stdin`): Node would make socketpairs, which cannot be opened.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { makeFifos, type Pipe } from './fifo.js'
import { systemProgram } from './resolve-program.js'

/** Undefined if the system has none: use Node's own. */
export const makePipes = (count: number): Pipe[] | undefined => {
  const made: Pipe[] = []
  while (made.length < count) {
    const some = holdPipes(Math.min(count - made.length, HOLDABLE.length))
    if (!some) {
      closePipes(made)
      return makeFifos(count)
    }
    made.push(...some)
  }
  return made
}

export const closePipes = (pipes: readonly Pipe[]): void => {
  for (const { reader, writer } of pipes) {
    closeSync(reader)
    closeSync(writer)
  }
}

// All that every sh can name, except those that it needs itself.
const HOLDABLE = [2, 3, 4, 5, 6, 7, 8, 9]
/** What a shell writes into each. */
const HELD = '.\n'

// A shell keeps a short here-document in an anonymous pipe, and Linux lets us take over the pipes of a process that holds them. A FIFO
// would not do: opening it again for reading waits for a writer, who may have written everything and gone.
const holdPipes = (count: number): Pipe[] | undefined => {
  if (process.platform !== 'linux') return undefined
  const fds = HOLDABLE.slice(0, count)
  const script = `exec ${fds.map((fd) => `${fd}<<END`).join(' ')}\n${`${HELD}END\n`.repeat(count)}"$0" 5 >/dev/null &\necho $!`
  const { spawnSync } = require('node:child_process') as typeof import('node:child_process')
  // It needs no environment, which could define functions that a shell would run.
  const options = { stdio: ['ignore', 'pipe', 'ignore'] as ('ignore' | 'pipe')[], env: {} }
  const holder = Number(spawnSync('/bin/sh', ['-c', script, systemProgram('sleep') ?? '/bin/sleep'], options).stdout)
  if (!(holder > 1)) return undefined
  const open: number[] = []
  try {
    return fds.map((fd) => takeOver(`/proc/${holder}/fd/${fd}`, open))
  } catch {
    for (const fd of open) closeSync(fd)
    return undefined
  } finally {
    end(holder)
  }
}

const takeOver = (path: string, open: number[]): Pipe => {
  const reader = openSync(path, constants.O_RDONLY)
  open.push(reader)
  // Some shells store here-documents in files.
  if (!fstatSync(reader).isFIFO()) throw new Error('not a pipe')
  const writer = openSync(path, constants.O_WRONLY)
  open.push(writer)
  readSync(reader, Buffer.alloc(HELD.length))
  return { reader, writer }
}

const end = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has already ended.
  }
}
