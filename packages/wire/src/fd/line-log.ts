// Lines that a child appends to a descriptor, and its parent reads when it wants to: a file without a name, so that neither waits.

import { closeSync } from 'node:fs'
import { openAnonymousLog } from './anonymous-file.js'
import { openLedger } from './ledger.js'

export interface LineLog {
  readonly fd: number
  /** Undefined: there are no more by now. */
  next(): string | undefined
  close(): void
}

/** Throws where no file can be made. */
export const openLineLog = (): LineLog => {
  const fd = openAnonymousLog()
  const ledger = openLedger(fd)
  return { fd, next: () => ledger.next(), close: () => closeSync(fd) }
}

/** The child's end. */
export const joinLineLog = (fd: number): ((line: string) => void) => {
  const ledger = openLedger(fd)
  return (line) => ledger.append(line)
}
