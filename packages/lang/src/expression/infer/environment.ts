// What the names of an expression stand for. All that infers, interprets or compiles an
// expression is given one of these; infer/name.ts alone decides which of them a name means.

import type { Fault } from '@plumb/wire/error'
import type { Param, Scope } from '../../names/names.js'
import type { Name } from '../../parse/ast.js'
import type { Type } from '../../types/type.js'

export interface Environment {
  /** The type of the message: `value`. The fields of a record are names too; anything else may be called by one free name. */
  readonly input: Type
  /** Names that come before those of the input, the innermost first. */
  readonly locals?: Local | undefined
  /** Of the file that the expression stands in: its params, and the bindings that may be called. */
  readonly scope?: Scope | undefined
  /** Its value is known before bindings are: it calls none. */
  readonly isConstant?: boolean
  /** Hears of what a binding that is called leaves out of a list. */
  readonly report?: ((fault: Fault) => void) | undefined
}

/** A name of `for` or `->`, or the `state` of a fold. It is known by the object: an inner one may have the name of an outer one. */
export interface Local {
  readonly name: string
  readonly type: Type
  /** Where it gets its name; undefined for one that the language names. */
  readonly declared?: Name | undefined
  readonly outer?: Local | undefined
}

/** What a name stands for. */
export type Meaning =
  | { readonly kind: 'whole' }
  | { readonly kind: 'field' }
  | { readonly kind: 'local'; readonly local: Local }
  | { readonly kind: 'param'; readonly param: Param }

export const WHOLE_INPUT: Meaning = { kind: 'whole' }
export const FIELD_OF_INPUT: Meaning = { kind: 'field' }

export const localNamed = (name: string, scope: Local | undefined): Local | undefined => {
  for (let local = scope; local; local = local.outer) if (local.name === name) return local
  return undefined
}
