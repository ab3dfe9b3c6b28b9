// Which message of a run by workers each input of a process is (plumb-wire(5), Tools), on a descriptor: line n is that of its n-th input,
// and is written before the input is sent.

import { closeSync } from 'node:fs'
import { openLedger } from '../budget/ledger.js'
import { openAnonymousLog } from '../child/anonymous-file.js'

/** Where children of ours have them. */
export const DELIVERY_FD = 13

export interface Deliveries {
  /** `RUN/PART/ORD`, the same whenever that message is given out. Undefined: it is not known. To be asked for soon after the input came. */
  of(n: number): string | undefined
}

export interface DeliveryLog {
  readonly fd: number
  /** Of the next input; an empty text where it is not known. */
  add(delivery: string): void
  close(): void
}

/** Inputs that are in hand at once. */
const MAX_KEPT = 1 << 17

/** Those of a parent. */
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

/** Throws where no file can be made. */
export const openDeliveryLog = (): DeliveryLog => {
  const fd = openAnonymousLog()
  const ledger = openLedger(fd)
  return { fd, add: (delivery) => ledger.append(delivery), close: () => closeSync(fd) }
}
