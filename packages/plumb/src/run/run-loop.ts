// The turns of a run that is wired up, in order: what its schedule takes, when it is quiet so that its loops may close, what a parent is
// told of it, and how its children and calls end.

import { type LineSource, type LineWriter, TelemetryWriter } from '@plumb/wire'
import { InputContext } from '../graph/input-context.js'
import { Quiescence, Schedule } from '../graph/schedule.js'
import { Settling } from '../graph/settling.js'
import type { Wired } from './wiring.js'

export interface RunLoopOptions {
  readonly name: string
  readonly writer: LineWriter
  /** For a parent that joins by origin: what has settled. Null: there is none. */
  readonly telemetry: LineWriter | null
  /** Where that asks for what waits in batches. */
  readonly requests: LineSource | undefined
  /** Called before something is told to have settled: an error is there before its input is settled. */
  readonly flushErrors?: () => void
}

export class RunLoop {
  readonly schedule = new Schedule(
    () => this.#idle(),
    () => this.#busy(),
  )
  readonly current: InputContext
  readonly #quiescence = new Quiescence(() => this.#judge())
  readonly #settling: Settling
  readonly #flushErrors: (() => void) | undefined
  #wired: Wired | undefined

  constructor({ name, writer, telemetry, requests, flushErrors }: RunLoopOptions) {
    this.current = new InputContext(telemetry !== null)
    this.#settling = new Settling({ telemetry: new TelemetryWriter(telemetry, name), writer, current: this.current, requests })
    this.#flushErrors = flushErrors
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

  /** What came while the processes were still being started is taken as soon as they are. */
  wake(): void {
    if (this.#wired) this.schedule.wake()
  }

  /** Nothing comes to the outputs any more: resolves when each child has ended, and each call. */
  async end({ children, calls, hangUp }: Wired): Promise<void> {
    this.#settling.stopListening()
    this.schedule.wake()
    hangUp()
    await Promise.all(children.map((child) => child.exited.then(hangUp)))
    await Promise.all(calls.map((call) => call.stop()))
    for (const child of children) child.reportDropped()
  }

  /** All that was written is with its readers. */
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

  #judge(): void {
    const { cycles = [] } = this.#wired ?? {}
    // Not every: each of them is to be asked.
    if (cycles.filter((cycle) => cycle.closeIfQuiet()).length > 0) this.schedule.wake()
    this.#settle(true)
  }

  #settle(isQuiet: boolean): void {
    const { input, batches } = this.#wired ?? {}
    this.#flushErrors?.()
    this.#settling.tell(input?.taken ?? 0, isQuiet && batches ? () => batches.rest : undefined)
  }
}
