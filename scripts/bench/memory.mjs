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

/** The same when it has not changed by a hundredth for half a second, or after ten. */
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
