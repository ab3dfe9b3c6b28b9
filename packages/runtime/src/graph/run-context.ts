// The state that the parts of a run share.

import type { Sink } from '@plumb/lang'
import type { Fault, Reporter } from '@plumb/wire'
import type { InputContext } from './input-context.js'
import type { Schedule } from './schedule.js'

export interface RunContext {
  readonly schedule: Schedule
  /** Where results are written. */
  readonly sink: Sink
  /** Of a message, in bytes: no list and no tuple is made longer. */
  readonly maxLine: number
  /** The current message. */
  readonly current: InputContext
  readonly reporter: Reporter
  /** Reports an error of the current message; the run continues. */
  readonly report: (fault: Fault) => void
  /** Reports an error that ends the run. */
  readonly fail: (fault: Fault) => void
}
