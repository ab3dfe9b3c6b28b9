// The main loop of a wired run: runs its schedule, detects when it is quiet so that its loops may close, reports to its parent, and awaits
// its children and calls.

import { type LineSource, type LineWriter, type Reporter, TelemetryWriter } from '@plumb/wire'
import { InputContext } from '../graph/input-context.js'
import { Quiescence, Schedule } from '../graph/schedule.js'
import { Settling } from '../graph/settling.js'
import type { Wired } from './wiring.js'

export interface RunLoopOptions {
  readonly name: string
  readonly writer: LineWriter
  /** The descriptor for a parent that joins by origin: reports what has settled. Null: none. */
  readonly telemetry: LineWriter | null
  /** The descriptor on which that asks to flush batches. */
  readonly requests: LineSource | undefined
  readonly reporter: Reporter
}

export class RunLoop {
  readonly schedule = new Schedule(
    () => this.#idle(),
    () => this.#busy(),
  )
  readonly current: InputContext
  readonly #quiescence = new Quiescence(() => this.#checkQuiet())
  readonly #settling: Settling
  #wired: Wired | undefined

  constructor({ name, writer, telemetry, requests, reporter }: RunLoopOptions) {
    this.current = new InputContext(telemetry !== null)
    this.#settling = new Settling({ telemetry: new TelemetryWriter(telemetry, name), writer, reporter, current: this.current, requests })
  }

  begin(wired: Wired): void {
    this.#wired = wired
    this.#settling.listen(() => {
      wired.batches.letGo()
      this.schedule.wake()
    })
    this.#settle(true)
    wired.start()
    this.schedule.wake()
  }

  /** Input that came while the processes were starting is taken once they are started. */
  wake(): void {
    if (this.#wired) this.schedule.wake()
  }

  /** The outputs are complete: resolves when each child and each call has ended. */
  async end({ children, calls, hangUp }: Wired): Promise<void> {
    this.#settling.stopListening()
    this.schedule.wake()
    hangUp()
    await Promise.all(children.map((child) => child.exited.then(hangUp)))
    await Promise.all(calls.map((call) => call.stop()))
    for (const child of children) child.reportDropped()
  }

  /** Resolves when all written data is with its readers. */
  flushed(): void {
    this.#settle(true)
  }

  #busy(): void {
    this.#quiescence.busy()
    this.#settle(false)
  }

  #idle(): void {
    this.#settle(false)
    this.#quiescence.idle()
  }

  #checkQuiet(): void {
    const { cycles = [] } = this.#wired ?? {}
    // Not `every`: each of them has to be called.
    if (cycles.filter((cycle) => cycle.closeIfQuiet()).length > 0) this.schedule.wake()
    this.#settle(true)
  }

  #settle(isQuiet: boolean): void {
    const { input, batches } = this.#wired ?? {}
    this.#settling.report(input?.taken ?? 0, isQuiet && batches ? () => batches.rest : undefined)
  }
}
