// What the command line says of a run.

import type { SightOptions } from './display/run-display.js'
import type { SpecOptions } from './load.js'
import type { Permissions } from './permissions.js'
import type { WatchingOptions } from './record/open-instrumentation.js'

export interface RunOptions extends SpecOptions {
  readonly binding: string
  readonly rawInput: boolean
  readonly rawOutput: boolean
  readonly envelopes: 'all' | 'some' | 'none'
  /** Write outputs with the numbers of their inputs. */
  readonly isNumbered: boolean
  readonly maxLine: number
  readonly maxInFlight: number
  /** What is handed on to agents: `--provider P`… */
  readonly handedOn: readonly string[]
  readonly docroot: string | undefined
  readonly provider: string | undefined
  readonly model: string | undefined
  readonly permissions: Permissions
  readonly agentProgram: string | undefined
  readonly toolProgram: string | undefined
  /** Say on fd 3 what has settled. */
  readonly telemetry: boolean
  readonly watching: WatchingOptions
  readonly sight: SightOptions
  /** The first error is the last: no more input is taken, what is in flight has its time. */
  readonly isFailFast: boolean
  /** Only show what would be started. */
  readonly isDry: boolean
  /** A parent has the budget of its run on this descriptor. */
  readonly budgetFd?: number
}
