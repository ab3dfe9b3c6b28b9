// A bare morphism as it is called: what each part takes and gives, with its names resolved.

import type { Bound } from '../names/names.js'
import type { Expression } from '../parse/ast.js'
import type { Type } from '../types/type.js'

/** `input` is the type of what arrives, `output` that of what is given. `f.field` is a sequence of f and a map. */
export type BasePlan = { readonly input: Type; readonly output: Type } & BaseWork

export type BaseWork =
  | { readonly kind: 'id' | 'copy' | 'discard' }
  | { readonly kind: 'map'; readonly expression: Expression }
  | { readonly kind: 'sequence' | 'choice'; readonly items: readonly BasePlan[] }
  /** Each item on the whole input, or on its own part of a tuple. */
  | { readonly kind: 'product'; readonly isOnParts: boolean; readonly items: readonly BasePlan[] }
  /** Fed its own output at most `max` times, until it no longer changes or `until` holds of the output. */
  | { readonly kind: 'trace'; readonly body: BasePlan; readonly max: number; readonly until?: Expression }
  /** A call of its own to another bare binding, which takes and gives what its signature says. */
  | { readonly kind: 'named'; readonly bound: Bound }
