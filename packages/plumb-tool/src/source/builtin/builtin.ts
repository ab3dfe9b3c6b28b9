// What a built-in tool is to the rest: its declaration stands in builtins.plumb, its row in table.ts,
// its effects in builtin-effects.ts of @plumb/policy, its work in a file of its own.

import type { Json } from '@plumb/lang'
import type { Result } from '@plumb/wire'
import type { Call } from '../../call/call.js'
import type { Roots } from '../path/resolved-path.js'

/** `Input` is what its declaration says: whatever comes has been validated. */
export interface Builtin<Input = unknown> {
  /** Absolute paths that the input names, as it names them; absent: it names none. For rules of a policy, as the two below. */
  paths?(input: Input, context: BuiltinContext): readonly string[]
  /** What is asked for on the net. */
  url?(input: Input): string
  /** Absolute paths that a call writes, so that calls on the same path wait for each other. */
  writes?(input: Input, context: BuiltinContext): readonly string[]
  /** Never throws. */
  run(input: Input, context: BuiltinContext): Promise<Result<Json>>
}

export interface BuiltinContext extends Roots {
  readonly call: Call
  /** What the spec calls it: rules of a policy speak of it by this name. */
  readonly tool: string
  readonly mayReachPrivateNet: boolean
}
