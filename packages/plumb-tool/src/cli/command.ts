// What each of the commands gets, and gives.

import type { AgentPlan, Program } from '@plumb/lang'
import type { Reporter, StopSignal } from '@plumb/wire'
import type { Session } from '../call/call.js'
import type { Registry } from '../registry/registry.js'
import type { CliOptions } from './options.js'

export interface ToolSet {
  readonly program: Program
  readonly registry: Registry
  readonly session: Session
  /** Whose tools these are, as named with --agent. */
  readonly agent: AgentPlan | undefined
}

export interface CommandInput {
  /** Behind the name of the command. */
  readonly words: readonly string[]
  readonly options: CliOptions
  readonly reporter: Reporter
}

/** Resolves when everything has been written, to the signal that stopped it if one did. */
export type RunCommand = (tools: ToolSet, asked: CommandInput) => Promise<StopSignal | undefined>
