// The options of a run.

import type { Permissions, RunLimits, SpecOptions } from './option-groups.js'

export interface RunOptions extends SpecOptions {
  readonly binding: string
  /** Run only this part of it, by its number. */
  readonly part?: number
  /** The descriptor of its processes' memory. */
  readonly stateFd?: number
  readonly rawInput: boolean
  readonly rawOutput: boolean
  readonly envelopes: 'all' | 'some' | 'none'
  /** `seq`: outputs are written with the numbers of their inputs; `lines`: what becomes of each input is told in numbered lines. */
  readonly numbering: 'none' | 'seq' | 'lines'
  readonly maxLine: number
  readonly maxInFlight: number
  /** Options for agents: `--provider P`… */
  readonly handedOn: readonly string[]
  readonly docroot: string | undefined
  readonly provider: string | undefined
  readonly model: string | undefined
  readonly permissions: Permissions
  readonly agentProgram: string | undefined
  readonly toolProgram: string | undefined
  /** Report on descriptor 3, or among numbered lines, what the processes do. */
  readonly telemetry: boolean
  /** The descriptor on which a parent asks to flush batches. */
  readonly letGoFd?: number
  readonly recording: RecordingOptions
  readonly limits: RunLimits
  readonly display: DisplayOptions
  /** Stop at the first error: no more input is read, messages in flight may finish. */
  readonly isFailFast: boolean
  /** Only show what would be started. */
  readonly isDry: boolean
  /** Where answers of models are kept: a directory, or a file of lines. */
  readonly cache: string | undefined
  /** Request nothing from models that is not kept. */
  readonly isCacheOnly: boolean
  /** The descriptor of the kept answers of a parent's run. */
  readonly keptFd?: number
  /** The descriptor of a parent's deliveries, in a run by workers. */
  readonly deliveryFd?: number
  /** The descriptor on which a parent reads the events of this process. */
  readonly eventsFd?: number
  /** The place of this process in that parent, for kept answers. */
  readonly keptPlace: string | undefined
  /** The maximum rate of requests to providers, by `--rate` in `handedOn`. */
  readonly hasRates: boolean
  /** The descriptor of the budget of a parent's run. */
  readonly budgetFd?: string
}

/** What is recorded of a run. */
export interface RecordingOptions {
  /** The directory of a new record. */
  readonly record: string | undefined
  /** The directory of the record to resume: the run is recorded there too. */
  readonly resume: string | undefined
  /** Resume only if nothing has changed since. */
  readonly isSame: boolean | undefined
  /** Calls that need approval are parked. */
  readonly isParking?: boolean | undefined
  /** The file for inputs that failed. */
  readonly rejects: string | undefined
}

/** What is shown of a run. */
export interface DisplayOptions {
  /** The file for a trace. */
  readonly trace: string | undefined
  /** Undefined: if standard error is a terminal and standard input is not. */
  readonly progress: boolean | undefined
  readonly summary: 'text' | 'json' | undefined
  /** The file of prices. */
  readonly prices: string | undefined
  /** Show the cost even if there is none. */
  readonly asksCost: boolean
}
