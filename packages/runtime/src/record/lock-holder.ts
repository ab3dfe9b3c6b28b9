// Identifies the process that holds a lock, so that it is known later whether it is gone, also when its pid was reused or the machine
// restarted.

import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

export interface LockHolder {
  readonly pid: number
  /** Start of the process, in ticks since the boot; without /proc, the time at which the lock was taken. */
  readonly start: string
  /** The id of this boot; empty where the system does not say. */
  readonly boot: string
  /** The namespace that its pid belongs to: containers have their own. Empty where the system does not say. */
  readonly pidNamespace: string
  readonly host: string
  /** The text of the link. */
  readonly text: string
}

export const ownHolder = (): LockHolder => {
  const start = readProcessStat(process.pid)?.start ?? `at${Date.now()}`
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim())
  return readHolder([process.pid, start, boot, ownPidNamespace(), hostname()].join(' '))
}

/** An unreadable text gives a holder that is gone: links are made whole or not at all, so no plumb has written it. */
export const readHolder = (text: string): LockHolder => {
  const [pid = '', start = '', boot = '', pidNamespace = '', ...host] = text.split(' ')
  const isOurs = /^[1-9]\d{0,9}$/.test(pid) && /^(at)?\d{1,20}$/.test(start)
  return { pid: isOurs ? Number(pid) : 0, start: isOurs ? start : '0', boot, pidNamespace, host: host.join(' '), text }
}

/** `unknown`: it runs, or ran, where its processes cannot be seen from here. */
export const holderState = (holder: LockHolder): 'alive' | 'gone' | 'unknown' => {
  if (holder.pid === 0) return 'gone'
  const me = ownHolder()
  const isSameStart = holder.boot !== '' && holder.boot === me.boot
  if (!isSameStart) {
    if (holder.host !== me.host) return 'unknown'
    if (holder.boot !== '' && me.boot !== '') return 'gone'
  } else if (holder.pidNamespace !== me.pidNamespace) return 'unknown'
  return isAlive(holder) ? 'alive' : 'gone'
}

const isAlive = ({ pid, start }: LockHolder): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it is another user's.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const found = readProcessStat(pid)
  if (found?.hasEnded) return false
  return found === undefined || start.startsWith('at') || found.start === start
}

// The name of the program, in parentheses, may hold anything.
const readProcessStat = (pid: number): { readonly start: string; readonly hasEnded: boolean } | undefined => {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  const [state, , , , , , , , , , , , , , , , , , , start] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (state === undefined || start === undefined) return undefined
  // It has ended, but its parent has not waited for it.
  return { start, hasEnded: state === 'Z' || state === 'X' }
}

const ownPidNamespace = (): string => attempt(() => readlinkSync('/proc/self/ns/pid'))

const attempt = (read: () => string): string => {
  try {
    return read()
  } catch {
    return ''
  }
}
