// What a command is, and what it may use.

import type { Fault, Result } from '@plumb/wire'
import type { ChatOptions } from '../options.js'
import type { ControlEvent } from '../program/events.js'
import type { ChatProgram } from '../program/program.js'
import type { Screen } from '../terminal/screen.js'
import type { Usage } from '../usage.js'

export interface CommandContext {
  readonly screen: Screen
  readonly program: ChatProgram
  readonly options: ChatOptions
  /** The text of the spec, when it is not a file. */
  readonly specText: string
  readonly usage: Usage
  /** Sends a control message that has no reply but an error, and waits until it was processed. */
  control(message: Readonly<Record<string, unknown>>): Promise<Fault | undefined>
  /** Sends a control message, and waits for the reply of that kind. */
  request(message: Readonly<Record<string, unknown>>, kind: string): Promise<Result<ControlEvent>>
  setPaused(isPaused: boolean): void
  leave(): void
}

export interface Command {
  readonly name: string
  /** Such as `FILE`. */
  readonly argument?: string
  readonly does: string
  /** Returns what went wrong, if anything. */
  readonly run: (argument: string, context: CommandContext) => Promise<Fault | undefined> | Fault | undefined
}
