// The types of messages, resolved: what the checker, the validators and the schemas work on. No spans, no syntax.

import type { Json } from '@plumb/wire/json'

export type { Json }

/** A type of the language, as data: `{ kind: 'record', fields: […] }`. */
export type Type = PrimitiveType | LiteralType | RecordType | ArrayType | TupleType | MapType | SumType | NamedType

export interface PrimitiveType {
  readonly kind: 'string' | 'int' | 'number' | 'bool' | 'unit' | 'json'
}
/** That one string. */
export interface LiteralType {
  readonly kind: 'literal'
  readonly value: string
}
/** These fields and, unless it is open, no others. */
export interface RecordType {
  readonly kind: 'record'
  readonly fields: readonly Field[]
  readonly isOpen?: boolean
}
export interface Field {
  readonly name: string
  readonly type: Type
  /** May be absent. A field with a default counts as present for its readers. */
  readonly isOptional: boolean
  /** JSON text used when the field is absent. */
  readonly default?: string
  readonly description?: string
  readonly min?: number
  readonly max?: number
}
export interface ArrayType {
  readonly kind: 'array'
  readonly item: Type
}
/** A JSON array of just these items. */
export interface TupleType {
  readonly kind: 'tuple'
  readonly items: readonly Type[]
}
/** A JSON object with any keys, all values of one type. */
export interface MapType {
  readonly kind: 'map'
  readonly item: Type
}
/** Untagged; the variants are pairwise disjoint (checked at load). */
export interface SumType {
  readonly kind: 'sum'
  readonly variants: readonly Type[]
}
/** A declared type by its name, so that types may be recursive and messages short. `target` is set once all are resolved. */
export interface NamedType {
  readonly kind: 'named'
  readonly name: string
  target: Type
}

export const STRING: Type = { kind: 'string' }
export const INT: Type = { kind: 'int' }
export const NUMBER: Type = { kind: 'number' }
export const BOOL: Type = { kind: 'bool' }
export const UNIT: Type = { kind: 'unit' }
export const JSON_TYPE: Type = { kind: 'json' }
/** Of no value: what always fails. */
export const NEVER: Type = { kind: 'sum', variants: [] }

/** The type behind a name (names may stand for names; a cycle of names alone is refused when types are resolved). */
export const resolve = (type: Type): Exclude<Type, NamedType> => {
  let t = type
  while (t.kind === 'named') t = t.target
  return t
}
