// The memory that programs of clients may take, each and all together: looked at while they run, and the one that has too much is ended.

import { readFileSync } from 'node:fs'

export interface Watched {
  readonly pid: number
  /** Called once: it has taken too much. */
  readonly end: (limitBytes: number) => void
}

const MIB = 1024 * 1024
/** Of the heap of one, held by Node itself; buffers are not part of it. */
export const MAX_HEAP_MIB = 256
const CHECK_MS = 100

/** Resident, in bytes: of one and of all together. */
export interface MemoryLimits {
  readonly run: number
  readonly all: number
}

/**
 * Returns how to watch one, which returns how to stop watching it. Where the system does not tell what a process takes, only the heap is
 * held.
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
