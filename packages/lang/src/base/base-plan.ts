// The plan of a bare morphism: the input and output of each part, with names resolved.

import { unreachable } from '../diagnostic/unreachable.js'
import type { Bound, Scope } from '../names/names.js'
import type { CrossingAtom, Expression } from '../parse/ast.js'
import type { Type } from '../types/type.js'

/** `input` and `output` are the types of messages. `f.field` is a sequence of f and a map. */
export type BasePlan = { readonly input: Type; readonly output: Type } & BaseWork

export type BaseWork =
  /** `crossing`: endorse and declassify remove a label. */
  | { readonly kind: 'id'; readonly crossing?: CrossingAtom }
  | { readonly kind: 'copy' | 'discard' | 'flatten' }
  | { readonly kind: 'map'; readonly expression: Expression; readonly scope: Scope }
  | { readonly kind: 'sequence' | 'choice'; readonly items: readonly BasePlan[] }
  /** Each item on the whole input, or on its own part of a tuple. */
  | { readonly kind: 'product'; readonly isOnParts: boolean; readonly items: readonly BasePlan[] }
  /** The body on every element of a list; the parallelism is that of the calls. */
  | { readonly kind: 'each'; readonly body: BasePlan; readonly parallel: number; readonly skips: boolean }
  /** Feeds its output back at most `max` times, until it is stable or `until` holds for it. */
  | { readonly kind: 'trace'; readonly body: BasePlan; readonly max: number; readonly scope: Scope; readonly until?: Expression }
  /** A call of another bare binding, with the types of its signature. */
  | { readonly kind: 'named'; readonly bound: Bound }

/** Its parts, one step deep, in order. A called binding is not a part. */
export const partsOfPlan = (plan: BasePlan): readonly BasePlan[] => {
  switch (plan.kind) {
    case 'sequence':
    case 'choice':
    case 'product':
      return plan.items
    case 'each':
    case 'trace':
      return [plan.body]
    case 'id':
    case 'copy':
    case 'discard':
    case 'flatten':
    case 'map':
    case 'named':
      return []
    default:
      return unreachable(plan)
  }
}

/** The bindings that it calls, with repetitions. */
export const boundsCalled = (plan: BasePlan): readonly Bound[] =>
  plan.kind === 'named' ? [plan.bound] : partsOfPlan(plan).flatMap(boundsCalled)
