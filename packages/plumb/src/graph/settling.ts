// Tells a parent with a loop or a barrier what is done with.

import type { LineWriter, TelemetryWriter } from '@plumb/wire'
import type { InputContext } from './input-context.js'

export interface SettlingOptions {
  readonly telemetry: TelemetryWriter
  readonly writer: LineWriter
  readonly current: InputContext
}

export class Settling {
  readonly #o: SettlingOptions
  /** What was told last; -1: nothing yet. */
  #told = { inputs: -1, outputs: 0 }

  constructor(options: SettlingOptions) {
    this.#o = options
  }

  /** `taken`: inputs, good or bad. `isQuiet`: nothing is left to do now, so that new outputs alone are told too. */
  tell(taken: number, isQuiet: boolean): void {
    const { telemetry, writer, current } = this.#o
    if (!telemetry.isOn) return
    const inputs = Math.min(taken, current.oldest - 1)
    const outputs = writer.lines
    if (inputs === this.#told.inputs && (outputs === this.#told.outputs || !isQuiet)) return
    this.#told = { inputs, outputs }
    const lost = current.takeLost()
    writer.flush()
    telemetry.emit({ kind: 'settled', inputs, controls: 0, outputs, ...(lost.length > 0 ? { lost } : {}) })
  }
}
