// The nodes of types, with the annotations of fields.

import type { Constant, Literal, Name, Node, QualifiedName } from './node.js'

/** `@description "…"`; the value is true when left out. */
export interface Annotation extends Node {
  readonly name: Name
  readonly value: Literal
}

export type TypeExpression = PrimitiveTypeNode | LiteralTypeNode | NamedTypeNode | LabelledTypeNode | CompoundTypeNode
type CompoundTypeNode = ArrayTypeNode | TupleTypeNode | MapTypeNode | RecordTypeNode | SumTypeNode
export type Primitive = 'string' | 'int' | 'number' | 'bool' | 'unit' | 'json'

export interface PrimitiveTypeNode extends Node {
  readonly kind: 'primitive'
  readonly name: Primitive
}
export type LiteralTypeNode = Node & { readonly kind: 'literal'; readonly value: string }
export interface NamedTypeNode extends Node {
  readonly kind: 'named'
  readonly name: QualifiedName
}
export type ArrayTypeNode = Node & { readonly kind: 'array'; readonly item: TypeExpression }
export interface TupleTypeNode extends Node {
  readonly kind: 'tuple'
  readonly items: readonly TypeExpression[]
}
/** `{ [string]: T }` */
export interface MapTypeNode extends Node {
  readonly kind: 'map'
  readonly item: TypeExpression
}
export interface RecordTypeNode extends Node {
  readonly kind: 'record'
  readonly fields: readonly FieldType[]
  /** `{ a: A, ... }` takes other fields too. */
  readonly isOpen?: boolean
}
export interface FieldType extends Node {
  readonly annotations: readonly Annotation[]
  readonly name: Name
  readonly isOptional: boolean
  readonly type: TypeExpression
  readonly default?: Constant
}
export interface SumTypeNode extends Node {
  readonly kind: 'sum'
  readonly variants: readonly TypeExpression[]
}

/** `untrusted T`, `secret T`: the values of T (plumb-flows(7)). */
export type LabelledTypeNode = Node & { readonly kind: 'labelled'; readonly label: 'untrusted' | 'secret'; readonly type: TypeExpression }
