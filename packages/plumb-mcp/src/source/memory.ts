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
/** Resident, of one and of all. */
export const MAX_RUN_BYTES = 512 * MIB
const MAX_ALL_BYTES = 2048 * MIB
const CHECK_MS = 100

const running = new Set<Watched>()
let timer: NodeJS.Timeout | undefined

/** Returns how to stop watching. Where the system does not tell what a process takes, only the heap is held. */
export const watchMemory = (watched: Watched): (() => void) => {
  running.add(watched)
  timer ??= setInterval(look, CHECK_MS).unref()
  return () => {
    running.delete(watched)
    if (running.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

const look = (): void => {
  const sizes = [...running].map((one) => ({ one, bytes: residentBytes(one.pid) })).sort((a, b) => b.bytes - a.bytes)
  let all = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { one, bytes } of sizes) {
    const limit = bytes > MAX_RUN_BYTES ? MAX_RUN_BYTES : all > MAX_ALL_BYTES ? MAX_ALL_BYTES : undefined
    if (limit === undefined) return
    all -= bytes
    running.delete(one)
    one.end(limit)
  }
}

const residentBytes = (pid: number): number => {
  try {
    return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0)
  } catch {
    return 0
  }
}
