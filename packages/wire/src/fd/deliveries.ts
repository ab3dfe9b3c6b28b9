// The delivery of each input of a process, in a run by workers (plumb-wire(5), Tools), on a descriptor: line n belongs to the n-th input,
// and is written before that input is sent.

import { closeSync } from 'node:fs'
import { openAnonymousLog } from './anonymous-file.js'
import { openLedger } from './ledger.js'

/** The descriptor in our children. */
export const DELIVERY_FD = 13

export interface Deliveries {
  /** `RUN/PART/ORD`, the same whenever the message is delivered. Undefined: unknown. Call it soon after the input came. */
  of(n: number): string | undefined
}

export interface DeliveryLog {
  readonly fd: number
  /** Writes that of the next input; empty if it is unknown. */
  add(delivery: string): void
  close(): void
}

/** The maximum number of inputs in flight. */
const MAX_KEPT = 1 << 17

/** Reads those that the parent writes. */
export const joinDeliveries = (fd: number): Deliveries => {
  const ledger = openLedger(fd)
  const known = new Map<number, string>()
  let read = 0
  return {
    of: (n) => {
      for (let line = read < n ? ledger.next() : undefined; line !== undefined; line = read < n ? ledger.next() : undefined) {
        known.set(++read, line)
        known.delete(read - MAX_KEPT)
      }
      return known.get(n) || undefined
    },
  }
}

/** Throws if no file can be made. */
export const openDeliveryLog = (): DeliveryLog => {
  const fd = openAnonymousLog()
  const ledger = openLedger(fd)
  return { fd, add: (delivery) => ledger.append(delivery), close: () => closeSync(fd) }
}
