// How often each request was made in a run, over all its processes: a ledger to which each appends, and which numbers equal requests.

import { randomUUID } from 'node:crypto'
import { openLedger } from '../fd/ledger.js'

export interface Counts {
  /** The first line of the ledger: the options. */
  readonly head: string | undefined
  /** The number of this request among equal ones of the run, from 1, this time included. */
  readonly next: (key: string) => number
}

export const openCounts = (fd: number): Counts => {
  const ledger = openLedger(fd)
  const head = ledger.next()
  const counts = new Map<string, number>()
  // A process in a sandbox may have the pid of another.
  const who = randomUUID()
  let made = 0
  return {
    head,
    // Every process reads the lines in the same order, so all come to the same numbers.
    next: (key) => {
      const own = `${who}.${++made} ${key}`
      ledger.append(own)
      for (let line = ledger.next(); line !== undefined; line = ledger.next()) {
        const counted = line.slice(line.indexOf(' ') + 1)
        const nth = (counts.get(counted) ?? 0) + 1
        counts.set(counted, nth)
        if (line === own) return nth
      }
      return 1
    },
  }
}
