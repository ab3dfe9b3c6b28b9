// Where control messages may still come from: fd 6, and envelopes on stdin.

import type { Intake } from '../io/intake.js'

export class ControlSources {
  #descriptor: 'none' | 'open' | 'willEnd' = 'none'
  #isStreamOpen: boolean
  readonly #carriesApprovals: boolean
  #look: 'ahead' | 'going on' | 'done' = 'ahead'

  constructor({ mayCarryControl, mayCarryAll }: Pick<Intake, 'mayCarryControl' | 'mayCarryAll'>) {
    this.#isStreamOpen = mayCarryControl
    this.#carriesApprovals = mayCarryAll
  }

  /** `willEnd`: soon and for certain, as a file does. */
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

  // What was written to fd 6 before stdin ended is in its pipe by now: one more look is enough to hear it.
  /** True: fd 6 is to be heard once more before all is over; `lookAgain` is called then. */
  isToBeHeard(lookAgain: () => void): boolean {
    if (this.#descriptor === 'willEnd') return true
    if (this.#descriptor === 'none') return false
    if (this.#look === 'ahead') this.#startLook(lookAgain)
    return this.#look !== 'done'
  }

  // Messages that come meanwhile are all heard before it is done.
  #startLook(lookAgain: () => void): void {
    this.#look = 'going on'
    setImmediate(() =>
      setImmediate(() => {
        this.#look = 'done'
        lookAgain()
      }),
    )
  }
}
