// Back-pressure: a source waits while something that it feeds is full, or while a cycle that it enters is busy.

import type { LineWriter } from '@plumb/wire'
import type { Cycle } from './quiescence.js'

/** New input waits while so much of the old goes round. */
const BUSY = 256

export class Gate {
  readonly writers: LineWriter[] = []
  readonly cycles: Cycle[] = []

  isOpen(): boolean {
    for (const writer of this.writers) if (writer.isFull) return false
    for (const cycle of this.cycles) if (cycle.inFlight >= BUSY) return false
    return true
  }
}
