// The interface of the commands.

import type { AgentPlan, Program } from '@plumb/lang'
import type { Reporter, StopSignal } from '@plumb/wire'
import type { Session } from '../call/call.js'
import type { Registry } from '../registry/registry.js'
import type { CliOptions } from './options.js'

export interface ToolSet {
  readonly program: Program
  readonly registry: Registry
  readonly session: Session
  /** The agent that --agent names. */
  readonly agent: AgentPlan | undefined
}

export interface CommandInput {
  /** The words after the name of the command. */
  readonly words: readonly string[]
  readonly options: CliOptions
  readonly reporter: Reporter
}

/** Resolves when everything has been written; to the signal, if one stopped it. */
export type RunCommand = (tools: ToolSet, asked: CommandInput) => Promise<StopSignal | undefined>
