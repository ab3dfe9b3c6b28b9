// What a built-in tool is to the rest: its declaration stands in builtins.plumb, its row in table.ts,
// its effects in call/builtin-effects.ts, its work in a file of its own.

import type { Json } from '@plumb/lang'
import type { Result } from '@plumb/wire'
import type { Call } from '../../call/call.js'

export interface Builtin {
  readonly name: string
  readonly aliases: readonly string[]
  /** Absolute paths that a call writes, so that calls on the same path wait for each other. */
  readonly writes?: (input: Json, context: BuiltinContext) => readonly string[]
  /** Never throws; `input` fits the declaration. */
  readonly run: (input: Json, context: BuiltinContext) => Promise<Result<Json>>
}

export interface BuiltinContext {
  readonly call: Call
  /** What the spec calls it: rules of a policy speak of it by this name. */
  readonly tool: string
  /** Absolute folders by name (the key `roots`), the docroot alone without it. */
  readonly roots: ReadonlyMap<string, string>
  /** The running spec with its modules, absolute: no tool writes them. */
  readonly specPaths: ReadonlySet<string>
  readonly mayReachPrivateNet: boolean
}
