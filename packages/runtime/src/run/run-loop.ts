// The main loop of a wired run: runs its schedule, detects when it is quiet so that its loops may close, reports to its parent, and awaits
// its children and calls.

import { type Fault, type LineWriter, openLineInput, type Reporter, TelemetryWriter } from '@plumb/wire'
import { InputContext } from '../graph/input-context.js'
import { NumberedLines, type NumberedLinesOptions } from '../graph/numbered-lines.js'
import type { ParentReport } from '../graph/parent-report.js'
import { Schedule } from '../graph/schedule.js'
import { Settling } from '../graph/settling.js'
import type { RunOptions } from '../options/run-options.js'
import type { Wired } from './wired.js'

export interface RunLoopOptions {
  readonly name: string
  readonly writer: LineWriter
  /** The parent reads numbered lines. */
  readonly numbered: Pick<NumberedLinesOptions, 'isForOurs' | 'tellsParts' | 'requests'> | undefined
  /** The descriptor for telemetry. Null: none. */
  readonly telemetry: LineWriter | null
  readonly reporter: Reporter
}

export class RunLoop {
  readonly schedule = new Schedule(
    () => this.#idle(),
    () => this.#report(false),
  )
  readonly current = new InputContext()
  /** Undefined: no parent reads any. */
  readonly lines: NumberedLines | undefined
  readonly #parent: ParentReport
  #wired: Wired | undefined
  #isChecking = false

  constructor({ name, writer, telemetry, numbered, reporter }: RunLoopOptions) {
    const { current } = this
    this.lines = numbered && new NumberedLines({ writer, current, ...numbered })
    this.#parent = this.lines ?? new Settling({ telemetry: new TelemetryWriter(telemetry, name), writer, reporter, current })
  }

  /** The parent is told of the error among what becomes of its inputs. */
  takes(error: Fault): boolean {
    return this.lines?.takes(error) === true
  }

  begin(wired: Wired): void {
    this.#wired = wired
    this.lines?.listen(() => {
      wired.batches.letGo()
      this.schedule.wake()
    })
    this.#report(true)
    wired.start()
    this.schedule.wake()
  }

  /** Input that came while the processes were starting is taken once they are started. */
  wake(): void {
    if (this.#wired) this.schedule.wake()
  }

  /** The outputs are complete: resolves when each child and each call has ended. */
  async end({ children, calls, hangUp }: Wired): Promise<void> {
    this.lines?.stopListening()
    this.schedule.wake()
    hangUp()
    await Promise.all(children.map((child) => child.exited.then(hangUp)))
    await Promise.all(calls.map((call) => call.stop()))
    for (const child of children) child.reportDropped()
  }

  /** Resolves when all written data is with its readers. */
  flushed(): void {
    this.#report(true)
  }

  // What a cycle closes, or a batch lets go, is done with before it is looked at again.
  #idle(): void {
    if (this.#isChecking) return
    this.#isChecking = true
    while (this.#closeQuiet()) this.schedule.wake()
    this.#isChecking = false
    this.#report(true)
  }

  #closeQuiet(): boolean {
    const { cycles = [] } = this.#wired ?? {}
    // Not `some`: each of them has to be called.
    return cycles.filter((cycle) => cycle.closeIfQuiet()).length > 0
  }

  #report(isIdle: boolean): void {
    const { input, batches } = this.#wired ?? {}
    this.#parent.report(input?.taken ?? 0, isIdle && batches !== undefined, () => batches?.rest ?? NOTHING)
  }
}

/** Undefined: no parent reads numbered lines. */
export const numberedFor = ({ lines, parent, spec }: RunOptions): RunLoopOptions['numbered'] =>
  lines.isNumbered
    ? {
        requests: parent.letGoFd === undefined ? undefined : openLineInput(parent.letGoFd),
        isForOurs: spec.sourcesFd !== undefined,
        tellsParts: parent.deliveryFd !== undefined,
      }
    : undefined

const NOTHING = { isStill: true, isBatched: false }
