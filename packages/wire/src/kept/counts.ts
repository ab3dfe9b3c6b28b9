// How often each request was made in a run, over all its processes: a ledger to which each appends, and which numbers equal requests.

import { randomUUID } from 'node:crypto'
import { openLedger } from '../budget/ledger.js'

export interface Counts {
  /** The first line of the ledger: the options. */
  readonly head: string | undefined
  /** The number of this request among equal ones of the run, from 1, this time included; numbers that were given out are left out. */
  readonly next: (key: string) => number
  /** Gives out this number without a request: none gets it any more. False: one has it already. */
  readonly give: (key: string, nth: number) => boolean
}

/** Before the number of what is given out; no key begins with it. */
const GIVEN = '='

export const openCounts = (fd: number): Counts => {
  const ledger = openLedger(fd)
  const head = ledger.next()
  /** All numbers up to these have been used. */
  const counts = new Map<string, number>()
  /** Those beyond that were given out. */
  const given = new Map<string, Set<number>>()
  // A process in a sandbox may have the pid of another.
  const who = randomUUID()
  let made = 0

  const isGiven = (key: string, nth: number): boolean => given.get(key)?.has(nth) === true
  const count = (key: string): number => {
    let nth = (counts.get(key) ?? 0) + 1
    while (isGiven(key, nth)) nth++
    counts.set(key, nth)
    return nth
  }
  const giveOut = (key: string, nth: number): boolean => {
    const before = counts.get(key) ?? 0
    if (nth <= before || isGiven(key, nth)) return false
    if (nth === before + 1) counts.set(key, nth)
    else given.set(key, (given.get(key) ?? new Set()).add(nth))
    return true
  }
  // Every process reads the lines in the same order, so all come to the same numbers.
  const read = (of: string): number => {
    if (!of.startsWith(GIVEN)) return count(of)
    const space = of.indexOf(' ')
    const nth = Number(of.slice(GIVEN.length, space))
    return giveOut(of.slice(space + 1), nth) ? nth : 0
  }
  const append = (of: string): number => {
    const own = `${who}.${++made} ${of}`
    ledger.append(own)
    for (let line = ledger.next(); line !== undefined; line = ledger.next()) {
      const number = read(line.slice(line.indexOf(' ') + 1))
      if (line === own) return number
    }
    return 0
  }
  return {
    head,
    next: (key) => append(key) || 1,
    give: (key, nth) => append(`${GIVEN}${nth} ${key}`) === nth,
  }
}
