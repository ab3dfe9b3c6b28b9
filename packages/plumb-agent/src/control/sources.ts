// Where control messages may still come from: fd 6 and envelopes on stdin.

import type { Intake } from '../io/intake.js'

export class ControlSources {
  #descriptor: 'none' | 'open' | 'willEnd' = 'none'
  #isStreamOpen: boolean
  readonly #carriesApprovals: boolean
  #lastLook: 'ahead' | 'started' | 'done' = 'ahead'

  constructor({ mayCarryControl, mayCarryAll }: Pick<Intake, 'mayCarryControl' | 'mayCarryAll'>) {
    this.#isStreamOpen = mayCarryControl
    this.#carriesApprovals = mayCarryAll
  }

  /** `willEnd`: it is a file, whose end is near and certain. */
  openDescriptor(kind: 'none' | 'open' | 'willEnd'): void {
    this.#descriptor = kind
  }

  endDescriptor(): void {
    this.#descriptor = 'none'
  }

  endStream(): void {
    this.#isStreamOpen = false
  }

  get hasDescriptor(): boolean {
    return this.#descriptor !== 'none'
  }

  get isOver(): boolean {
    return !this.hasDescriptor && !this.#isStreamOpen
  }

  get mayApprove(): boolean {
    return this.hasDescriptor || (this.#isStreamOpen && this.#carriesApprovals)
  }

  /**
   * True while more may come on fd 6 although all else is done: control that was written before stdin ended is in its pipe by now, so the
   * event loop gets one more round, after which `lookAgain` is called.
   */
  awaitsControl(lookAgain: () => void): boolean {
    if (this.#descriptor === 'willEnd') return true
    if (this.#descriptor === 'none') return false
    if (this.#lastLook === 'ahead') this.#startLook(lookAgain)
    return this.#lastLook !== 'done'
  }

  #startLook(lookAgain: () => void): void {
    this.#lastLook = 'started'
    setImmediate(() =>
      setImmediate(() => {
        this.#lastLook = 'done'
        lookAgain()
      }),
    )
  }
}
