// Samples the memory of a process and its descendants while they run.

import { readFileSync } from 'node:fs'

const MIB = 2 ** 20
const SAMPLE_MS = 250

const rssOf = (pid) => {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

const childrenOf = (pid) => {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean)
    return children.flatMap((child) => [child, ...childrenOf(child)])
  } catch {
    return []
  }
}

/** Samples from the first output on. Returns a function that stops and returns the samples, in bytes. */
export const sample = ({ pid, stdout, stderr }) => {
  const taken = []
  const take = () => {
    if (stdout.bytesRead + stderr.bytesRead > 0) taken.push([pid, ...childrenOf(pid)].reduce((sum, one) => sum + rssOf(one), 0))
  }
  const timer = setInterval(take, SAMPLE_MS)
  return () => {
    clearInterval(timer)
    return taken.filter((bytes) => bytes > 0)
  }
}

/** The mean of each quarter, in MiB. */
export const quarters = (taken) =>
  [0, 1, 2, 3].map((i) => {
    const part = taken.slice(Math.floor((taken.length * i) / 4), Math.max(1, Math.floor((taken.length * (i + 1)) / 4)))
    return part.reduce((sum, bytes) => sum + bytes, 0) / Math.max(1, part.length) / MIB
  })
