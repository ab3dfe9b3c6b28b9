// Bounds what all processes of a sandbox take together: looks at them a few times a second while they run, and ends the sandbox that takes
// more. No limit of one process does that, and control groups are not ours to make.

import { readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs'

export interface GroupLimits {
  readonly processes: number
  /** Memory with what lies in temporary directories. */
  readonly bytes: number | undefined
}

const CHECK_MS = 200

/** `pid` is that of bubblewrap. `end` is called once, with what was too much. Returns how to stop. */
export const watchGroup = (pid: number, limits: GroupLimits, end: (why: string) => void): (() => void) => {
  const timer = setInterval(() => {
    const why = whyTooMuch(pid, limits)
    if (why === undefined) return
    clearInterval(timer)
    end(why)
  }, CHECK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

const whyTooMuch = (pid: number, { processes, bytes }: GroupLimits): string | undefined => {
  const root = rootOf(pid)
  if (root === undefined) return undefined
  const pids = readNames(`${root}/proc`).filter((name) => /^\d+$/.test(name))
  if (pids.length > processes) return `it has started more than ${processes} processes at once`
  if (bytes === undefined) return undefined
  const taken = sum(TEMPORARY.map((path) => bytesIn(root + path))) + bytesOf(pids.map((one) => `${root}/proc/${one}`))
  return taken > bytes ? `its processes and what lies in its temporary directories have taken more than ${bytes} bytes together` : undefined
}

const TEMPORARY = ['/tmp', '/var/tmp', '/dev/shm']

// The file system inside, whose /proc holds the processes of the sandbox and no others. Until it is set up, that is the one outside.
const rootOf = (pid: number): string | undefined => {
  try {
    const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ')
    if (!first) return undefined
    const root = `/proc/${first}/root`
    const inside = readlinkSync(`/proc/${first}/ns/pid`)
    return inside !== readlinkSync('/proc/self/ns/pid') && readlinkSync(`${root}/proc/1/ns/pid`) === inside ? root : undefined
  } catch {
    // It has ended, or may not be looked at.
    return undefined
  }
}

const bytesIn = (directory: string): number => {
  try {
    const { bsize, blocks, bfree } = statfsSync(directory)
    return bsize * (blocks - bfree)
  } catch {
    return 0
  }
}

/** Of processes: what is their own, their share of what they have with others, and files in memory that have no name, each once. */
const bytesOf = (processes: readonly string[]): number => {
  const unnamed = new Map(processes.flatMap(listUnnamed))
  return sum(processes.map(bytesMapped)) + sum([...unnamed.values()])
}

const bytesMapped = (process: string): number => {
  const fields = /^(?:Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+) kB$/gm
  return sum([...readText(`${process}/smaps_rollup`).matchAll(fields)].map(([, kilobytes]) => 1024 * Number(kilobytes)))
}

const listUnnamed = (process: string): readonly (readonly [file: string, bytes: number])[] =>
  readNames(`${process}/fd`).flatMap((fd) => {
    try {
      const path = `${process}/fd/${fd}`
      if (!readlinkSync(path).startsWith('/memfd:')) return []
      const { dev, ino, blocks } = statSync(path)
      return [[`${dev}:${ino}`, 512 * blocks] as const]
    } catch {
      return []
    }
  })

const readNames = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
