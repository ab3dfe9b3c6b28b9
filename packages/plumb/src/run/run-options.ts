// What the command line says of a run.

import type { SpecOptions } from '../command/load.js'
import type { RunLimits } from '../record/run-budget.js'
import type { Permissions } from '../tools/permissions.js'

export interface RunOptions extends SpecOptions {
  readonly binding: string
  /** Only this part of it, by its number. */
  readonly part?: number
  /** Where its processes have their memory, and keep what they remember. */
  readonly stateFd?: number
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
  /** Where a parent asks for what waits in batches. */
  readonly letGoFd?: number
  readonly recording: RecordingOptions
  readonly limits: RunLimits
  readonly display: DisplayOptions
  /** The first error is the last: no more input is taken, what is in flight has its time. */
  readonly isFailFast: boolean
  /** Only show what would be started. */
  readonly isDry: boolean
  /** Where answers of models are kept: a directory, or a file of lines. */
  readonly cache: string | undefined
  /** What is not kept is not asked. */
  readonly isCacheOnly: boolean
  /** A parent has the kept answers of its run on this descriptor. */
  readonly keptFd?: number
  /** Where a parent says which messages of a run by workers it is sent. */
  readonly deliveryFd?: number
  /** And where it reads what happens here. */
  readonly eventsFd?: number
  /** Which process of that parent we are, for the answers that are kept. */
  readonly keptPlace: string | undefined
  /** Providers are asked no more often than so, by `--rate` in `handedOn`. */
  readonly hasRates: boolean
  /** A parent has the budget of its run on this descriptor. */
  readonly budgetFd?: string
}

/** What is kept of a run. */
export interface RecordingOptions {
  /** The directory of a new record. */
  readonly record: string | undefined
  /** The directory of the record that is gone on with: the run is recorded there too. */
  readonly resume: string | undefined
  /** Only where nothing has changed since. */
  readonly isSame: boolean | undefined
  /** Calls that need a person wait for one. */
  readonly isParking?: boolean | undefined
  /** The file of inputs that failed. */
  readonly rejects: string | undefined
}

/** What is shown of a run. */
export interface DisplayOptions {
  /** The file of a trace. */
  readonly trace: string | undefined
  /** Undefined: where standard error is a terminal and standard input is not. */
  readonly progress: boolean | undefined
  readonly summary: 'text' | 'json' | undefined
  /** The file of prices. */
  readonly prices: string | undefined
  /** The cost is shown also where there is none. */
  readonly asksCost: boolean
}
