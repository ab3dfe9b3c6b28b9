// What a command may do, and how one is found.

import type { Fault, Result } from '@plumb/wire'
import type { Options } from '../options.js'
import type { Program } from '../program/program.js'
import type { Reply } from '../session.js'
import type { Screen } from '../terminal/screen.js'
import type { Usage } from '../usage.js'

export interface Desk {
  readonly screen: Screen
  readonly program: Program
  readonly options: Options
  /** Of the spec, where it is not a file. */
  readonly specText: string
  readonly usage: Usage
  /** Sends control that has no reply but an error, and waits until it was heard. */
  control(message: Readonly<Record<string, unknown>>): Promise<Fault | undefined>
  /** Sends control, and waits for the reply of that kind. */
  request(message: Readonly<Record<string, unknown>>, kind: string): Promise<Result<Reply>>
  setPaused(isPaused: boolean): void
  leave(): void
}

export interface Command {
  readonly name: string
  /** Such as `FILE`. */
  readonly argument?: string
  readonly does: string
  /** Resolves to what went wrong. */
  readonly run: (argument: string, desk: Desk) => Promise<Fault | undefined> | Fault | undefined
}
