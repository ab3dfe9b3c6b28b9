// Resident memory of a process, in MB of 10⁶ bytes; on Linux only.

import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export const canMeasureMemory = process.platform === 'linux'

/** { value, peak }: what is resident now and what was at most; undefined when the process is gone. */
export const memoryOf = (pid) => {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8')
    const kibibytes = (name) => Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1])
    const [value, peak] = [kibibytes('VmRSS'), kibibytes('VmHWM')].map((number) => (number * 1024) / 1e6)
    return Number.isNaN(value) ? undefined : { value, peak }
  } catch {
    return undefined
  }
}

/** The most that any of a process and its descendants has had so far, in MB; undefined when it is gone. */
export const peakOfTree = (pid) => {
  const peaks = [pid, ...descendantsOf(pid)].flatMap((one) => memoryOf(one)?.peak ?? [])
  return peaks.length === 0 ? undefined : Math.max(...peaks)
}

const descendantsOf = (pid) => childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)])

const childrenOf = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  } catch {
    return []
  }
}

/** As `memoryOf`, when it has not changed by a hundredth for half a second, or after ten. */
export const settledMemoryOf = async (pid) => {
  let last = memoryOf(pid)
  for (let since = 0, waited = 0; since < 5 && waited < 100; waited++) {
    await sleep(100)
    const now = memoryOf(pid)
    if (!now) return last
    since = Math.abs(now.value - last.value) < last.value / 100 ? since + 1 : 0
    last = now
  }
  return last
}
