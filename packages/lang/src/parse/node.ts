// The parts that all of the syntax tree is made of: places, names, literals, lists and objects.

import type { Span } from '../diagnostic/source.js'

export interface Node {
  readonly span: Span
}

export interface Name extends Node {
  readonly text: string
}

/** `name` or `Module.name`. */
export interface QualifiedName extends Node {
  readonly module?: Name
  readonly name: Name
}

export interface Literal extends Node {
  readonly kind: 'value'
  readonly value: string | number | boolean | null
  /** The literal as written: numbers keep their digits. */
  readonly text: string
}
/** A value without names: the default of a field or a param. */
export type Constant = Literal | ListOf<Constant> | ObjectOf<Constant>
export interface ListOf<V> extends Node {
  readonly kind: 'list'
  readonly items: readonly V[]
}
export interface ObjectOf<V> extends Node {
  readonly kind: 'object'
  readonly entries: readonly EntryOf<V>[]
}
export interface EntryOf<V> extends Node {
  readonly key: Name
  readonly value: V
}
