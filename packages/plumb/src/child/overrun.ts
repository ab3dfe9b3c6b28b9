// How a child ends that would spend more than the run may: asked to cancel where it can hear that, then ended with its group. What it has
// written by then still counts.

import type { LineChild } from '@plumb/wire'
import type { ChildAllowance } from './allowance.js'

export interface OverrunOptions {
  readonly child: LineChild
  readonly allowance: ChildAllowance | undefined
  /** Messages that it has not answered. */
  readonly inFlight: () => number
  /** Sends it `cancel`; undefined: it has no control channel. */
  readonly cancel: () => (() => void) | undefined
  /** Nothing of it is read any more. */
  readonly abandon: () => void
}

/** Once nothing is left, what a child that cannot ask has in hand has so long to come to its end. */
const GRACE_MS = 5000
/** Between cancel, TERM, KILL and the end of its streams. */
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

  /** Nothing is left to spend: where it cannot ask for that, what it has in hand has some time, and is then given up. */
  beginSoon(): void {
    const { allowance, inFlight } = this.#o
    if (!allowance || allowance.asks || this.#hasEnded) return
    this.#grace ??= setTimeout(() => inFlight() > 0 && this.begin(), GRACE_MS).unref()
  }

  /** It spends what is not there. */
  begin(): void {
    if (this.hasBegun || this.#hasEnded) return
    this.hasBegun = true
    const { child, cancel, abandon } = this.#o
    const send = cancel()
    send?.()
    const end = async () => {
      await child.terminate(STEP_MS)
      // What it has started may hold its descriptors open, and goes with the last of them.
      setTimeout(abandon, STEP_MS).unref()
    }
    setTimeout(() => void end(), send ? STEP_MS : 0)
  }

  /** It is sent nothing more; one that asks for its calls is answered until it has nothing in hand. */
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
