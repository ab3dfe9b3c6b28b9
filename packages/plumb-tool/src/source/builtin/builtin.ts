// The interface of a built-in tool. Its declaration is in builtins.plumb, its row in table.ts, its effects in builtin-effects.ts of
// @plumb/policy, and its code in a file of its own.

import type { Json } from '@plumb/lang'
import type { Roots } from '@plumb/sandbox'
import type { Result } from '@plumb/wire'
import type { Call } from '../../call/call.js'

/** `Input` is the type of its declaration; inputs have been validated. */
export interface Builtin<Input = unknown> {
  /** Absolute paths that the input names, links unresolved, for rules of a policy. */
  paths?(input: Input, context: BuiltinContext): readonly string[]
  /** The URL that the call requests, for rules of a policy. */
  url?(input: Input): string
  /** Absolute paths that the call writes: calls on the same path run one after the other. */
  writes?(input: Input, context: BuiltinContext): readonly string[]
  /** Never throws. */
  run(input: Input, context: BuiltinContext): Promise<Result<Json>>
}

export interface BuiltinContext extends Roots {
  readonly call: Call
  /** The name of the tool in the spec, which rules of a policy use. */
  readonly tool: string
  readonly mayReachPrivateNet: boolean
  /** In characters: `max_output` of the tool, for those that cut what they give themselves. Absent: their own limit. */
  readonly maxOutput?: number
}
