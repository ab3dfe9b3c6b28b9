// The parts of a type: the one table for algorithms that treat all parts alike.

import { unreachable } from '../diagnostic/unreachable.js'
import { type NamedType, resolve, type Type } from './type.js'

/** In the order written. A name has none: what it stands for is behind it (`resolve`). */
export const componentsOf = (type: Type): readonly Type[] => {
  switch (type.kind) {
    case 'record':
      return type.fields.map((field) => field.type)
    case 'array':
    case 'map':
      return [type.item]
    case 'tuple':
      return type.items
    case 'sum':
      return type.variants
    case 'string':
    case 'int':
    case 'number':
    case 'bool':
    case 'unit':
    case 'json':
    case 'literal':
    case 'named':
      return []
    default:
      return unreachable(type)
  }
}

/** The same type with each part replaced; one without parts is itself. */
export const mapParts = (type: Exclude<Type, NamedType>, f: (part: Type) => Type): Type => {
  switch (type.kind) {
    case 'record':
      return { ...type, fields: type.fields.map((field) => ({ ...field, type: f(field.type) })) }
    case 'array':
    case 'map':
      return { kind: type.kind, item: f(type.item) }
    case 'tuple':
      return { kind: 'tuple', items: type.items.map(f) }
    case 'sum':
      return { kind: 'sum', variants: type.variants.map(f) }
    case 'string':
    case 'int':
    case 'number':
    case 'bool':
    case 'unit':
    case 'json':
    case 'literal':
      return type
    default:
      return unreachable(type)
  }
}

/** The names in the types and in what those stand for, at any depth, each once and in the order in which they are met. */
export const namesWithin = (types: readonly Type[]): readonly NamedType[] => {
  const reached = new Set(types)
  for (const type of reached) for (const part of type.kind === 'named' ? [type.target] : componentsOf(type)) reached.add(part)
  return [...reached].filter((type) => type.kind === 'named')
}

const CONTAINERS: Readonly<Record<Type['kind'], boolean>> = {
  record: true,
  array: true,
  tuple: true,
  map: true,
  sum: false,
  string: false,
  int: false,
  number: false,
  bool: false,
  unit: false,
  json: false,
  literal: false,
  named: false,
}

/** Whether its values contain those of its parts. */
export const isContainer = ({ kind }: Type): boolean => CONTAINERS[kind]

/** The type and all its parts at any depth, names resolved, each once. Iterative, because types may be nested thousands deep. */
export function* typesWithin(type: Type): Generator<Exclude<Type, NamedType>> {
  const reached = new Set([resolve(type)])
  // A set goes on through what is added meanwhile.
  for (const t of reached) {
    yield t
    for (const part of componentsOf(t)) reached.add(resolve(part))
  }
}
