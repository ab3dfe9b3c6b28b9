// The meaning of the names in an expression. Inference, interpretation and code generation are given one of these; only infer/name.ts
// resolves names with it.

import type { Fault } from '@plumb/wire/error'
import type { Param, Scope } from '../../names/names.js'
import type { Name } from '../../parse/ast.js'
import type { Type } from '../../types/type.js'

export interface Environment {
  /** The type of the message: `value`. The fields of a record are names too; any other type may be called by one free name. */
  readonly input: Type
  /** Names that take precedence over those of the input, the innermost first. */
  readonly locals?: Local | undefined
  /** Of the file of the expression: its params, and the callable bindings. */
  readonly scope?: Scope | undefined
  /** Its value is needed before bindings are known: it may call none. */
  readonly isConstant?: boolean
  /**
   * The `state` has only the first of the types that it will have: a condition that none of its variants meets leaves nothing of it, and an
   * arm of match may take what it has not yet. For looking ahead only.
   */
  readonly isGrowing?: boolean
  /** Called for elements that a called binding leaves out of a list. */
  readonly report?: ((fault: Fault) => void) | undefined
}

/** A name of `for` or `->`, or the `state` of a fold. Identified by the object: an inner one may have the name of an outer one. */
export interface Local {
  readonly name: string
  readonly type: Type
  /** The declaration of its name. Undefined for one that the language names. */
  readonly declared?: Name | undefined
  readonly outer?: Local | undefined
}

/** The meaning of a name. */
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
