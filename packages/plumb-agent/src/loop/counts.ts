// What is done with so far, and whether that has been told.

import type { Settled } from '@plumb/wire'

export class Counts {
  inputs = 0
  controls = 0
  outputs = 0
  #told: Settled | undefined

  /** Undefined: it is as it was when it was last asked for. */
  news(isPaused: boolean): Settled | undefined {
    const { inputs, controls, outputs } = this
    const told = this.#told
    const isOld = told?.inputs === inputs && told.controls === controls && told.outputs === outputs && (told.paused ?? false) === isPaused
    if (isOld) return undefined
    this.#told = { kind: 'settled', inputs, controls, outputs, ...(isPaused ? { paused: true } : {}) }
    return this.#told
  }
}
