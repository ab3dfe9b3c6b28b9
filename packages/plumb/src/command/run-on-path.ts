// plumb NAME, where there is no command of that name: the program plumb-NAME of PATH, with the same descriptors.

import { spawn } from 'node:child_process'
import { fstatSync } from 'node:fs'
import { constants } from 'node:os'
import { dieOf, resolveProgram, type StopSignal } from '@plumb/wire'

/** Descriptors that a program may be given, as of plumb-wire(5). */
const MAX_FD = 9
const FORWARDED: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Resolves to its exit status. Undefined: there is no such program. */
export const runOnPath = (name: string, args: readonly string[]): Promise<number | undefined> =>
  new Promise((resolve) => {
    const path = resolveProgram(name, '.', process.env.PATH)
    if (!path.ok) return resolve(undefined)
    const stdio = Array.from({ length: MAX_FD + 1 }, (_, fd) => (isOpen(fd) ? fd : ('ignore' as const)))
    const child = spawn(path.value, args, { stdio })
    const forward = (signal: NodeJS.Signals): void => void child.kill(signal)
    for (const signal of FORWARDED) process.on(signal, forward)
    child.on('error', () => resolve(undefined))
    child.on('exit', (status, signal) => {
      for (const one of FORWARDED) process.off(one, forward)
      const stopped = FORWARDED.find((one) => one === signal)
      if (stopped) dieOf(stopped)
      resolve(status ?? 128 + (signal ? constants.signals[signal] : 0))
    })
  })

const isOpen = (fd: number): boolean => {
  try {
    fstatSync(fd)
    return true
  } catch {
    return false
  }
}
