// Limits the memory of clients' programs, of each and of all together: polls it while they run, and ends a program that exceeds it.

import { readFileSync } from 'node:fs'

export interface Watched {
  readonly pid: number
  /** Called once, when it exceeds a limit. */
  readonly end: (limitBytes: number) => void
}

const MIB = 1024 * 1024
/** The heap limit of one, enforced by Node itself; buffers are not part of it. */
export const MAX_HEAP_MIB = 256
const CHECK_MS = 100

/** Resident bytes of one program, and of all together. */
export interface MemoryLimits {
  readonly run: number
  readonly all: number
}

/**
 * Returns a function that watches one program and returns how to stop watching it. Where the system does not report the memory of a
 * process, only the heap is limited.
 */
export const openMemoryWatch = ({ run, all }: MemoryLimits): ((watched: Watched) => () => void) => {
  const running = new Set<Watched>()
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    const sizes = [...running].map((one) => ({ one, bytes: residentBytes(one.pid) })).sort((a, b) => b.bytes - a.bytes)
    let sum = sizes.reduce((total, { bytes }) => total + bytes, 0)
    for (const { one, bytes } of sizes) {
      const limit = bytes > run ? run : sum > all ? all : undefined
      if (limit === undefined) return
      sum -= bytes
      running.delete(one)
      one.end(limit)
    }
  }
  return (watched) => {
    running.add(watched)
    timer ??= setInterval(look, CHECK_MS).unref()
    return () => {
      running.delete(watched)
      if (running.size > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }
}

export const watchMemory = openMemoryWatch({ run: 512 * MIB, all: 2048 * MIB })

const residentBytes = (pid: number): number => {
  try {
    return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0)
  } catch {
    return 0
  }
}
