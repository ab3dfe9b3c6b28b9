// The system calls of a piece of work as strace prints them, and how each is made to fail: the steps of nth-failure loops. What is counted are
// calls on files of the scene, and those by which children are made; Node's own are left alone, since Node aborts when they fail.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeRandom } from '../fuzz/random.js'

/** PLUMB_NTH=all for every failure of a scenario, or how many; PLUMB_SEED for others; PLUMB_NTH_OF=TEXT for scenarios with it in their names. */
const { PLUMB_NTH, PLUMB_NTH_OF = '' } = process.env
const SEED = process.env.PLUMB_SEED ?? '1'

export interface Step {
  readonly thread: number
  readonly call: string
  /** Of the calls of that name in that thread, from 1. */
  readonly nth: number
  readonly error: string
  /** All that follow fail too. */
  readonly isLasting: boolean
  /** Only calls on this file count. */
  readonly path?: string
  /** As strace shows it. */
  readonly text: string
}

/** What a file can be asked. */
export const FILE_CALLS = [
  ...['openat', 'mkdir', 'rmdir', 'link', 'symlink', 'rename', 'unlink', 'fsync', 'fchmod', 'fchown', 'chmod', 'getdents64', 'readlink'],
  ...['statx', 'newfstatat', 'pread64', 'access', 'copy_file_range'],
]
/** Threads of Node report each other things by these, so that only those count that go to one file of the scene. */
export const DATA_CALLS = ['read', 'write']
export const CHILD_CALLS = ['clone', 'vfork', 'pipe2', 'socketpair']

const NO_ROOM = new Set(['mkdir', 'link', 'symlink', 'rename', 'write', 'copy_file_range'])

const errorsOf = (call: string): string[] => {
  if (call === 'openat') return ['EMFILE', 'EACCES']
  if (NO_ROOM.has(call)) return ['ENOSPC']
  if (CHILD_CALLS.includes(call)) return [call === 'pipe2' || call === 'socketpair' ? 'EMFILE' : 'EAGAIN']
  return ['EIO']
}

/** Of a log: those that are `ours`, each with every way to fail that it has. */
export const stepsIn = (log: string, isOurs: (call: string, text: string) => boolean): Step[] => {
  const counts = new Map<string, number>()
  return log.split('\n').flatMap((line) => {
    const [, thread = '0', call = '', text = ''] = /^(?:(\d+) +)?(\w+)\((.*)$/.exec(line) ?? []
    if (call === '') return []
    const path = DATA_CALLS.includes(call) ? /^\d+<([^>]*)>/.exec(text)?.[1] : undefined
    const key = `${thread} ${call} ${path}`
    const nth = (counts.get(key) ?? 0) + 1
    counts.set(key, nth)
    if (!isOurs(call, text)) return []
    const step = { thread: Number(thread), call, nth, text: text.slice(0, 120), ...(path === undefined ? {} : { path }) }
    return errorsOf(call).flatMap((error) => [false, true].map((isLasting) => ({ ...step, error, isLasting })))
  })
}

export const wantedOf = <T>(scenarios: Readonly<Record<string, T>>): [string, T][] =>
  Object.entries(scenarios).filter(([name]) => name.includes(PLUMB_NTH_OF))

/** All, or some that the seed chooses, in their order: so many where the environment does not say. */
export const chosenOf = (steps: readonly Step[], scenario: string, count: number): readonly Step[] => {
  const wanted = PLUMB_NTH === 'all' ? Number.POSITIVE_INFINITY : Number(PLUMB_NTH ?? count)
  if (steps.length <= wanted) return steps
  const random = makeRandom(SEED, scenario)
  const chosen = new Set<Step>()
  while (chosen.size < wanted) chosen.add(random.pick(steps))
  return steps.filter((step) => chosen.has(step))
}

/** Options of strace that let just this one fail. */
export const failing = ({ call, error, nth, isLasting, path }: Step): string[] => [
  ...(path === undefined ? [] : ['-P', path]),
  ...['-e', `trace=${call}`],
  ...['-e', `inject=${call}:error=${error}:when=${nth}${isLasting ? '+' : ''}`],
]

export const nameOf = ({ call, nth, error, isLasting, text }: Step): string =>
  `${error} of ${call} ${nth}${isLasting ? ' and on' : ''}: ${text}`

/**
 * Whether it did fail; what is not reached a second time is not a case. Calls come in another order each time: where the failure fell on one that
 * loads a bundle, it is none either, for without its own code a program can do nothing.
 */
export const wasHit = (log: string): boolean =>
  log.split('\n').some((line) => line.includes('(INJECTED)') && !/\/dist\/[^">]*\.cjs[">]/.test(line))

let logs = 0

/** Traces that thread of a running process while the work goes on. Undefined: strace may not. */
export const whileTraced = async <T>(
  thread: number,
  options: readonly string[],
  directory: string,
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly log: string } | undefined> => {
  const path = join(directory, `strace-${++logs}`)
  const tracer = spawn('strace', ['-o', path, '-y', ...options, '-p', String(thread)], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise<void>((done) => tracer.on('close', () => done()))
  const isAttached = new Promise<boolean>((done) => {
    tracer.stderr.on('data', (text) => /attached/.test(String(text)) && done(true))
    void ended.then(() => done(false))
  })
  if (!(await isAttached)) return undefined
  try {
    const value = await work()
    return { value, log: await logOf() }
  } finally {
    await logOf()
    rmSync(path, { force: true })
  }

  async function logOf(): Promise<string> {
    tracer.kill('SIGINT')
    await ended
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  }
}
