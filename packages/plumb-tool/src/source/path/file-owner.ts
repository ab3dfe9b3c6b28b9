// Whose a temporary file is: a process as its own name, which no later process has, even with the same number.

import { readFileSync } from 'node:fs'

const HAS_PROC = process.platform === 'linux'

// The 22nd field; the name of the program before it may hold anything, and ends with the last parenthesis.
const startOf = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

/** `PID-START`, as names of files have it. Numbers of processes come again, above all in containers. */
export const OWNER = `${process.pid}-${(HAS_PROC && startOf(process.pid)) || 0}`

export const hasOwnerExited = (owner: string): boolean => {
  if (owner === OWNER) return false
  const [pid, start] = owner.split('-')
  return HAS_PROC ? startOf(Number(pid)) !== start : !isRunning(Number(pid))
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
