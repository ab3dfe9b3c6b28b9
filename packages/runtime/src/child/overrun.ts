// Ends a child that would exceed the budget: asks it to cancel if it takes control, then terminates its group. Its output so far still
// counts.

import type { LineChild } from '@plumb/wire'
import type { ChildAllowance } from './allowance.js'

export interface OverrunOptions {
  readonly child: LineChild
  readonly allowance: ChildAllowance | undefined
  /** Messages that it has not answered. */
  readonly inFlight: () => number
  /** Sends it `cancel`. Undefined: it has no control channel. */
  readonly cancel: () => (() => void) | undefined
  /** Nothing of it is read any more. */
  readonly abandon: () => void
}

/** Once nothing is left, the time for messages in flight of a child that cannot request calls. */
const GRACE_MS = 5000
/** Delays between cancel, TERM, KILL and the end of its streams. */
const STEP_MS = 1000
const CHECK_MS = 200

export class Overrun {
  readonly #o: OverrunOptions
  /** It was asked to end. */
  hasBegun = false
  #hasEnded = false
  #grace: NodeJS.Timeout | undefined
  #quiet: NodeJS.Timeout | undefined

  constructor(options: OverrunOptions) {
    this.#o = options
  }

  /** Nothing is left to spend: if it cannot request calls, its messages in flight get some time, and are then dropped. */
  beginSoon(): void {
    const { allowance, inFlight } = this.#o
    if (!allowance || allowance.asks || this.#hasEnded) return
    this.#grace ??= setTimeout(() => inFlight() > 0 && this.begin(), GRACE_MS).unref()
  }

  /** It exceeds the budget. */
  begin(): void {
    if (this.hasBegun || this.#hasEnded) return
    this.hasBegun = true
    const { child, cancel, abandon } = this.#o
    const send = cancel()
    send?.()
    const end = async () => {
      await child.terminate(STEP_MS)
      // Its descendants may hold its descriptors open, and are killed with the last of them.
      setTimeout(abandon, STEP_MS).unref()
    }
    setTimeout(() => void end(), send ? STEP_MS : 0)
  }

  /** It gets nothing more; one that requests its calls is answered until nothing is in flight. */
  closeWhenQuiet(): void {
    const { allowance, inFlight } = this.#o
    if (!allowance?.asks) return
    this.#quiet ??= setInterval(() => {
      if (inFlight() > 0) return
      clearInterval(this.#quiet)
      allowance.close()
    }, CHECK_MS).unref()
  }

  /** It has ended, or is ended for another reason. */
  clear(): void {
    this.#hasEnded = true
    clearTimeout(this.#grace)
    clearInterval(this.#quiet)
  }
}
