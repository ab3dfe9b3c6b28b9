// What the parts of a run share.

import type { Sink } from '@plumb/lang'
import type { Fault, Reporter } from '@plumb/wire'
import type { InputContext } from './input-context.js'
import type { Schedule } from './schedule.js'

export interface RunContext {
  readonly schedule: Schedule
  /** Where results are written. */
  readonly sink: Sink
  /** The message that is being worked on. */
  readonly current: InputContext
  readonly reporter: Reporter
  /** Reports an error of the message that is being worked on; the run goes on. */
  readonly report: (fault: Fault) => void
  /** Reports an error after which the run cannot go on. */
  readonly fail: (fault: Fault) => void
}
