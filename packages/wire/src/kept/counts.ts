// How often each request was made in a run, over all its processes: a ledger to which each appends, and which numbers equal requests.

import { randomUUID } from 'node:crypto'
import { openLedger } from '../fd/ledger.js'

export interface Counts {
  /** The first line of the ledger: the options. */
  readonly head: string | undefined
  /** The number of this request among equal ones of the run, from 1, this time included; numbers that were given out are left out. */
  readonly next: (key: string) => number
  /** Gives these numbers out without a request: none gets them any more. For each: false if one has it already. */
  readonly give: (keys: readonly CountedKey[]) => boolean[]
  /** A number that was given out goes to the next request after all. */
  readonly takeBack: (key: CountedKey) => void
}

export interface CountedKey {
  readonly key: string
  readonly nth: number
}

/** Before the number of what is given out, or taken back; no key begins with one of them. */
const GIVEN = '='
const BACK = '-'

export const openCounts = (fd: number): Counts => {
  const ledger = openLedger(fd)
  const head = ledger.next()
  /** All numbers up to these have been used. */
  const counts = new Map<string, number>()
  /** Those beyond that were given out. */
  const given = new Map<string, Set<number>>()
  /** Those up to that which were given out, and taken back. */
  const free = new Map<string, number[]>()
  // A process in a sandbox may have the pid of another.
  const who = randomUUID()
  let made = 0

  const isGiven = (key: string, nth: number): boolean => given.get(key)?.has(nth) === true
  const count = (key: string): number => {
    const returned = free.get(key)?.shift()
    if (returned !== undefined) return returned
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
  const comeBack = (key: string, nth: number): boolean => {
    if (given.get(key)?.delete(nth)) return true
    if (nth > (counts.get(key) ?? 0)) return false
    free.set(
      key,
      [...(free.get(key) ?? []), nth].sort((a, b) => a - b),
    )
    return true
  }
  // Every process reads the lines in the same order, so all come to the same numbers.
  const read = (of: string): number => {
    if (!of.startsWith(GIVEN) && !of.startsWith(BACK)) return count(of)
    const space = of.indexOf(' ')
    const nth = Number(of.slice(1, space))
    const key = of.slice(space + 1)
    return (of.startsWith(GIVEN) ? giveOut(key, nth) : comeBack(key, nth)) ? nth : 0
  }
  /** The number of each, in one write. */
  const append = (all: readonly string[]): number[] => {
    if (all.length === 0) return []
    const own = all.map((of) => `${who}.${++made} ${of}`)
    ledger.append(own.join('\n'))
    const numbers: number[] = []
    for (let line = ledger.next(); line !== undefined; line = ledger.next()) {
      const number = read(line.slice(line.indexOf(' ') + 1))
      if (line === own[numbers.length] && numbers.push(number) === own.length) break
    }
    return own.map((_, i) => numbers[i] ?? 0)
  }
  return {
    head,
    next: (key) => append([key])[0] || 1,
    give: (keys) => append(keys.map(({ key, nth }) => `${GIVEN}${nth} ${key}`)).map((nth, i) => nth === keys[i]?.nth),
    takeBack: ({ key, nth }) => void append([`${BACK}${nth} ${key}`]),
  }
}
