// Children: each in a process group of its own, on a lifeline, with the descriptors that were named and no others.

import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { closeSync } from 'node:fs'
import { Socket } from 'node:net'
import { Readable, type Writable } from 'node:stream'
import { drained } from './drained.js'
import { LIFELINE_FD, withLifeline } from './lifeline.js'
import { preview } from './preview.js'
import { makePipes } from './real-pipe.js'
import { resolveProgram } from './resolve-program.js'
import { fail, type Result } from './result.js'
import { systemReason } from './system-reason.js'

export interface ChildOptions {
  /** The program and its arguments; a program with a slash is relative to `cwd`. */
  readonly command: readonly string[]
  readonly cwd?: string
  readonly env: Readonly<Record<string, string>>
  /** Those besides 0, 1 and 2, as the child sees them; 8 is taken. */
  readonly fds?: Readonly<Record<number, 'in' | 'out'>>
  /** Descriptors of ours that it gets as they are, by the number that it sees. */
  readonly shared?: Readonly<Record<number, number>>
  /** Not one of our executables: gets pipes that `/dev/fd/N` can open. */
  readonly isForeign: boolean
  /** What it writes on 2 comes out of `stdout` too, in the order in which it was written; for foreign ones, where the system has such pipes. */
  readonly joinsStderr?: boolean
  /** It writes to our own stderr, be that a terminal or not, and `stderr` is empty. */
  readonly inheritsStderr?: boolean
}

export interface Exit {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
}

/** Whoever spawned it listens to the streams before the next tick; what nobody listens to is dropped. */
export interface Child {
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** By number: readable where the child writes, and the other way round. */
  readonly fds: ReadonlyMap<number, Readable | Writable>
  /** The process itself ended; what it wrote may still be on its way. */
  readonly ended: Promise<Exit>
  /** The process ended, and stdout and stderr were read to their end or nobody wrote to them for half a second. */
  readonly exited: Promise<Exit>
  /** To the whole group; does nothing once the end was seen, when the number may be somebody else's. */
  kill(signal: NodeJS.Signals): void
  /** TERM to the group, KILL after the grace; resolves when the process has ended. */
  terminate(graceMs: number): Promise<void>
}

/** `file_not_found` or `config_invalid` where the command cannot be run, `child_failed` where the system has no room for it. */
export const spawnChild = (options: ChildOptions): Result<Child> => {
  const { command, cwd = currentFolder(), env, fds = {}, shared = {}, isForeign, joinsStderr, inheritsStderr } = options
  const [name = '', ...args] = command
  const program = resolveProgram(name, cwd, env.PATH)
  if (!program.ok) return program

  const directions = new Map<number, 'in' | 'out'>([
    [0, 'in'],
    [1, 'out'],
  ])
  if (!inheritsStderr) directions.set(2, 'out')
  for (const [fd, direction] of Object.entries(fds)) directions.set(Number(fd), direction)
  const ends = makeEnds(directions, isForeign)
  for (const [number, fd] of Object.entries(shared)) share(ends.stdio, Number(number), fd)
  if (inheritsStderr) ends.stdio[2] = 'inherit'
  if (joinsStderr && typeof ends.stdio[1] === 'number') ends.stdio[2] = ends.stdio[1]
  const started = start(withLifeline(program.value, args), { cwd, env, detached: true, stdio: ends.stdio })
  for (const fd of ends.childs) closeSync(fd)
  if ('reason' in started) {
    for (const fd of ends.ours.values()) closeSync(fd)
    return fail(started.code, `cannot start '${preview(name)}': ${started.reason}`)
  }
  return { ok: true, value: attach(started, directions, ends.ours) }
}

// It may have been removed.
const currentFolder = (): string => {
  try {
    return process.cwd()
  } catch {
    return '.'
  }
}

interface Ends {
  readonly stdio: ('pipe' | 'ignore' | 'inherit' | number)[]
  /** Ends of real pipes that go to the child, and those that stay, by the child's number; none where Node makes the pipes. */
  readonly childs: readonly number[]
  readonly ours: ReadonlyMap<number, number>
}

const makeEnds = (directions: ReadonlyMap<number, 'in' | 'out'>, isForeign: boolean): Ends => {
  // From 3 on, 'ignore' leaves the number closed.
  const stdio: Ends['stdio'] = new Array(Math.max(LIFELINE_FD, ...directions.keys()) + 1).fill('ignore')
  stdio[LIFELINE_FD] = 'pipe'
  const pipes = isForeign ? makePipes(directions.size) : undefined
  const childs: number[] = []
  const ours = new Map<number, number>()
  let i = 0
  for (const [fd, direction] of directions) {
    const pipe = pipes?.[i++]
    if (!pipe) {
      stdio[fd] = 'pipe'
      continue
    }
    const child = direction === 'in' ? pipe.reader : pipe.writer
    stdio[fd] = child
    childs.push(child)
    ours.set(fd, direction === 'in' ? pipe.writer : pipe.reader)
  }
  return { stdio, childs, ours }
}

const share = (stdio: Ends['stdio'], number: number, fd: number): void => {
  while (stdio.length < number) stdio.push('ignore')
  stdio[number] = fd
}

interface Refusal {
  readonly code: 'config_invalid' | 'child_failed'
  readonly reason: string
}

const start = ({ file, args }: { file: string; args: string[] }, options: SpawnOptions): ChildProcess | Refusal => {
  const { spawn } = require('node:child_process') as typeof import('node:child_process')
  try {
    const child = spawn(file, args, options)
    // Comes in a later tick and says which limit it was, when nobody waits for it any more.
    child.on('error', () => {})
    if (child.pid !== undefined) return child
    for (const stream of child.stdio ?? []) stream?.destroy()
    return { code: 'child_failed', reason: 'the system has no room for another process (see ulimit -n and ulimit -u)' }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'E2BIG')
      return { code: 'config_invalid', reason: 'its arguments and environment are too long for the system; pass data in a file' }
    if (code === 'ERR_INVALID_ARG_VALUE') return { code: 'config_invalid', reason: 'an argument or a variable holds a NUL character' }
    return { code: 'child_failed', reason: systemReason(error as NodeJS.ErrnoException) }
  }
}

const attach = (child: ChildProcess, directions: ReadonlyMap<number, 'in' | 'out'>, ours: ReadonlyMap<number, number>): Child => {
  const pid = child.pid as number
  const inputs = new Map<number, Writable>()
  const outputs = new Map<number, Socket>()
  for (const [number, direction] of directions) {
    const fd = ours.get(number)
    const stream =
      fd === undefined ? (child.stdio[number] as Socket) : new Socket({ fd, readable: direction === 'out', writable: direction === 'in' })
    stream.on('error', () => {})
    if (direction === 'in') inputs.set(number, stream)
    else outputs.set(number, stream)
  }
  const lifeline = (child.stdio as unknown as Socket[])[LIFELINE_FD] as Socket
  lifeline.on('error', () => {})

  let hasEnded = false
  const ended = new Promise<Exit>((resolve) => {
    child.once('exit', (status, signal) => {
      hasEnded = true
      resolve({ status, signal })
    })
  })
  const exited = ended.then(async (exit) => {
    for (const stream of inputs.values()) stream.destroy()
    const ends = new Map([...outputs].map(([number, stream]) => [number, drained(stream)]))
    await Promise.all([ends.get(1), ends.get(2)])
    // One that still writes elsewhere, such as a loop over control, may finish; what is left of the group then has had its time.
    void Promise.all(ends.values()).then(() => lifeline.destroy())
    return exit
  })

  const kill = (signal: NodeJS.Signals): void => {
    if (hasEnded) return
    try {
      process.kill(-pid, signal)
    } catch {
      // The group is gone, and the event that tells it is on its way.
    }
  }
  const terminate = async (graceMs: number): Promise<void> => {
    kill('SIGTERM')
    const timer = setTimeout(() => kill('SIGKILL'), graceMs)
    await ended
    clearTimeout(timer)
  }
  const [stdin, stdout, stderr] = [inputs.get(0) as Writable, outputs.get(1) as Readable, outputs.get(2) ?? Readable.from([])]
  const fds = new Map([...inputs, ...outputs].filter(([number]) => number > 2))
  return { pid, stdin, stdout, stderr, fds, ended, exited, kill, terminate }
}
