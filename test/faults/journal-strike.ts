// A process stops at the nth line that the processes of a run write to a journal of calls, before that is written, in its middle, or when it is
// on the disk; there it is killed.

import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { scaled } from '../../packages/wire/test/patience.js'
import { type Files, TEST_PATH } from '../../packages/wire/test/shell.js'
import { type Scene, type Started, until } from './scene.js'

export const PLACES = ['before', 'within', 'behind'] as const

export interface Strike {
  /** From 1, over all processes. */
  readonly at: number
  readonly place: (typeof PLACES)[number]
  /** The process that was started is killed with the one that writes. */
  readonly isWhole: boolean
}

// Each process notes its lines in one file, whose order numbers them. Children of ours are started by the same program.
const STOP = `
const fs = require('node:fs')
if (process.env.PLUMB_STRIKE) {
  const { appendFileSync, fdatasyncSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } = fs
  const [at, place, directory] = process.env.PLUMB_STRIKE.split(' ')
  process.execPath = directory + '/node'
  const notes = directory + '/strike/lines'
  let own = 0
  let stopped
  const isNth = () => {
    const note = process.pid + '.' + ++own
    appendFileSync(notes, note + '\\n')
    return readFileSync(notes, 'utf8').split('\\n').indexOf(note) + 1 === Number(at)
  }
  const stop = () => {
    writeFileSync(directory + '/strike/new', String(process.pid))
    renameSync(directory + '/strike/new', directory + '/strike/stopped')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  }
  fs.openSync = (path, flags, ...more) => {
    const isHere = flags === 'a+' && String(path).endsWith('/approvals.jsonl') && isNth()
    if (isHere && place === 'before') stop()
    const fd = openSync(path, flags, ...more)
    if (isHere) stopped = fd
    return fd
  }
  fs.writeSync = (fd, bytes, ...more) => {
    if (fd !== stopped || place !== 'within') return writeSync(fd, bytes, ...more)
    writeSync(fd, bytes.subarray(0, bytes.length >> 1))
    return stop()
  }
  fs.fdatasyncSync = (fd) => {
    fdatasyncSync(fd)
    if (fd === stopped) stop()
  }
}
`

export const STRIKE_FILES: Files = {
  'stop.cjs': STOP,
  node: `#!/bin/sh\nexec '${process.execPath}' --require "\${0%/*}/stop.cjs" "$@"\n`,
}

/** Starts a command that will stop there; `killed` resolves to the process that was killed, undefined: it has ended before. */
export const startStruck = (
  { start, work }: Scene,
  { at, place, isWhole }: Strike,
  command: readonly string[],
): { readonly started: Started; readonly killed: Promise<number | undefined> } => {
  const directory = join(work, 'strike')
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory)
  const started = start(['env', `PATH=${work}:${TEST_PATH}`, `PLUMB_STRIKE=${at} ${place} ${work}`, ...command])
  let isOver = false
  const ended = started.ended.then(() => {
    isOver = true
  })
  const stopped = join(directory, 'stopped')
  const kill = async (): Promise<number | undefined> => {
    await until(() => isOver || existsSync(stopped), scaled(60_000))
    if (isOver) return undefined
    const writer = Number(readFileSync(stopped, 'utf8'))
    for (const pid of new Set(isWhole ? [started.pid, writer] : [writer])) process.kill(pid, 'SIGKILL')
    if (isWhole || writer === started.pid) await ended
    return writer
  }
  return { started, killed: kill() }
}
