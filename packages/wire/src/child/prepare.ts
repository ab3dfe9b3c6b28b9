// Prepares the descriptors of a child, and the ends of them that stay here.

import { closeSync } from 'node:fs'
import type { Server } from 'node:net'
import { openAnonymousFile } from '../fd/anonymous-file.js'
import { closeInherited } from '../fd/inherited.js'
import { fail, type Result, succeed } from '../result.js'
import { systemReason } from '../system-reason.js'
import { LIFELINE_FD, withLifeline } from './lifeline.js'
import { makePipes } from './pipes.js'
import { resolveProgram } from './resolve-program.js'

export interface SpawnOptions {
  /** The program and its arguments; a program path with a slash is relative to `cwd`. */
  readonly command: readonly string[]
  readonly cwd?: string
  readonly env: Readonly<Record<string, string>>
  /** Descriptors other than 0, 1 and 2, numbered as in the child; 8 is taken. */
  readonly fds?: Readonly<Record<number, 'in' | 'out'>>
  /** Descriptors of this process that it gets unchanged, by their number in the child. */
  readonly shared?: Readonly<Record<number, number>>
  /** Bytes that it reads on these descriptors, available whole at once; not for secrets. */
  readonly given?: Readonly<Record<number, Uint8Array>>
  /** For programs that are not our executables: pipes that `/dev/fd/N` can open. */
  readonly isForeign: boolean
  /** Its stderr is merged into `stdout` in the order written; for foreign programs, where the system has such pipes. */
  readonly joinsStderr?: boolean
  /** It writes to our own stderr, whether that is a terminal or not, and `stderr` is empty. */
  readonly inheritsStderr?: boolean
  /** It opens a listening socket and hands it to us. */
  readonly listener?: ListenerOption
  /** If this process ends first: how long after its TERM it is killed. */
  readonly graceSeconds?: number | undefined
}

export interface ListenerOption {
  /** The descriptor of the `process.send` channel in the child, a Node.js; it closes once we have the socket. */
  readonly fd: number
  /** Called in the turn in which the socket comes, before anything can connect; not called if the child ends without one. */
  readonly take: (listener: Server) => void
}

export interface PreparedChild {
  readonly file: string
  readonly args: string[]
  readonly cwd: string
  /** Descriptors for which pipes are made. */
  readonly directions: ReadonlyMap<number, 'in' | 'out'>
  /** From 3 on, 'ignore' leaves the descriptor closed. */
  readonly stdio: readonly Stdio[]
  /** Our ends of real pipes, by the child's number; empty if they are made when it is started. */
  readonly ours: ReadonlyMap<number, number>
  /** Closes the ends that go to the child, once it was started or failed to. */
  closeChilds(): void
  /** Closes everything if it cannot be started. */
  closeOurs(): void
}

export type Stdio = 'pipe' | 'ignore' | 'inherit' | 'ipc' | number

/** `file_not_found` if the program cannot be run. */
export const prepareChild = (options: SpawnOptions): Result<PreparedChild> => {
  const {
    command,
    cwd = currentDirectory(),
    env,
    fds = {},
    shared = {},
    given = {},
    isForeign,
    joinsStderr,
    inheritsStderr,
    listener,
    graceSeconds,
  } = options
  const [name = '', ...args] = command
  const program = resolveProgram(name, cwd, env.PATH)
  if (!program.ok) return program
  closeInherited()

  const directions = new Map<number, 'in' | 'out'>([
    [0, 'in'],
    [1, 'out'],
  ])
  if (!inheritsStderr) directions.set(2, 'out')
  for (const [fd, direction] of Object.entries(fds)) directions.set(Number(fd), direction)
  const texts = openAll(given)
  if (!texts.ok) return texts
  const { stdio, childs, ours } = makeEnds(directions, isForeign)
  for (const [number, fd] of [...Object.entries(shared), ...texts.value]) share(stdio, Number(number), fd)
  if (listener) share(stdio, listener.fd, 'ipc')
  if (inheritsStderr) stdio[2] = 'inherit'
  if (joinsStderr && typeof stdio[1] === 'number') stdio[2] = stdio[1]
  const closeAll = (fds: Iterable<number>): void => {
    for (const fd of fds) closeSync(fd)
  }
  return succeed({
    ...withLifeline(program.value, args, graceSeconds),
    cwd,
    directions,
    stdio,
    ours,
    closeChilds: () => closeAll([...childs, ...texts.value.values()]),
    closeOurs: () => closeAll(ours.values()),
  })
}

// It may have been removed.
const currentDirectory = (): string => {
  try {
    return process.cwd()
  } catch {
    return '.'
  }
}

interface Ends {
  readonly stdio: Stdio[]
  readonly childs: readonly number[]
  readonly ours: ReadonlyMap<number, number>
}

const makeEnds = (directions: ReadonlyMap<number, 'in' | 'out'>, isForeign: boolean): Ends => {
  // From 3 on, 'ignore' leaves the descriptor closed.
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

const openAll = (given: Readonly<Record<number, Uint8Array>>): Result<ReadonlyMap<string, number>> => {
  const open = new Map<string, number>()
  try {
    for (const [number, bytes] of Object.entries(given)) open.set(number, openAnonymousFile(bytes))
    return succeed(open)
  } catch (error) {
    for (const fd of open.values()) closeSync(fd)
    return fail('child_failed', `cannot keep what a child is to read: ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}

const share = (stdio: Ends['stdio'], number: number, fd: number | 'ipc'): void => {
  while (stdio.length < number) stdio.push('ignore')
  stdio[number] = fd
}
