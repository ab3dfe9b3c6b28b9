// A bare morphism as it is called: what each part takes and gives, with its names resolved.

import { unreachable } from '../diagnostic/unreachable.js'
import type { Bound, Scope } from '../names/names.js'
import type { CrossingAtom, Expression } from '../parse/ast.js'
import type { Type } from '../types/type.js'

/** `input` is the type of what arrives, `output` that of what is given. `f.field` is a sequence of f and a map. */
export type BasePlan = { readonly input: Type; readonly output: Type } & BaseWork

export type BaseWork =
  /** `crossing`: endorse and declassify leave a label behind. */
  | { readonly kind: 'id'; readonly crossing?: CrossingAtom }
  | { readonly kind: 'copy' | 'discard' | 'flatten' }
  | { readonly kind: 'map'; readonly expression: Expression; readonly scope: Scope }
  | { readonly kind: 'sequence' | 'choice'; readonly items: readonly BasePlan[] }
  /** Each item on the whole input, or on its own part of a tuple. */
  | { readonly kind: 'product'; readonly isOnParts: boolean; readonly items: readonly BasePlan[] }
  /** The body on every element of a list, as the calls allow: so many at once. */
  | { readonly kind: 'each'; readonly body: BasePlan; readonly parallel: number; readonly skips: boolean }
  /** Fed its own output at most `max` times, until it no longer changes or `until` holds of the output. */
  | { readonly kind: 'trace'; readonly body: BasePlan; readonly max: number; readonly scope: Scope; readonly until?: Expression }
  /** A call of its own to another bare binding, which takes and gives what its signature says. */
  | { readonly kind: 'named'; readonly bound: Bound }

/** What it is made of, one step deep, in order. A binding that it calls is no part of it. */
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

/** The bindings that it calls, as often as it does. */
export const boundsCalled = (plan: BasePlan): readonly Bound[] =>
  plan.kind === 'named' ? [plan.bound] : partsOfPlan(plan).flatMap(boundsCalled)
