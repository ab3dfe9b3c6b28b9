// Types that contain themselves without end: they have no finite value.

import { error, type Report } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import { unreachable } from '../diagnostic/unreachable.js'
import { componentsOf } from '../types/parts.js'
import type { NamedType, Type } from '../types/type.js'
import { findCycles } from './find-cycle.js'
import { mentions } from './mentions.js'

/**
 * The declared types in such a cycle; each cycle is reported once. A type may contain itself through an array, a map, an optional field, or
 * a sum with a finite variant; but not as one of its own variants.
 */
export const refuseInfinite = (declared: ReadonlyMap<NamedType, Span>, report: Report): ReadonlySet<NamedType> => {
  const ending = thoseThatEnd([...declared.keys()])
  const refused = new Set<NamedType>()
  const nextOf = (type: NamedType) =>
    [...aliasesIn(type.target), ...(ending.has(type) ? [] : needsOf(type.target, ending))].filter((t) => declared.has(t))
  findCycles(declared.keys(), nextOf, (cycle) => {
    const isReported = cycle.some((type) => refused.has(type))
    for (const type of cycle) refused.add(type)
    const [first] = cycle
    const span = first && declared.get(first)
    if (isReported || !first || !span) return
    const names = [...cycle, first].map((type) => type.name).join(' -> ')
    const help = 'a type may contain itself through an array, a map, an optional field or a sum with another variant'
    report(error('type_cycle', `type '${first.name}' contains itself without end: ${names}`, span, help))
  })
  return refused
}

/** Declared types that have a value, derived from types whose parts have one. */
const thoseThatEnd = (declared: readonly NamedType[]): ReadonlySet<NamedType> => {
  const ending = new Set<NamedType>()
  const own = new Set(declared)
  const ends = (type: Type): boolean => {
    switch (type.kind) {
      case 'named':
        return !own.has(type) || ending.has(type)
      case 'record':
        return type.fields.every((f) => f.isOptional || ends(f.type))
      case 'tuple':
        return type.items.every(ends)
      case 'sum':
        return type.variants.some(ends)
      case 'array':
      case 'map':
      case 'literal':
      case 'string':
      case 'int':
      case 'number':
      case 'bool':
      case 'unit':
      case 'json':
        return true
      default:
        return unreachable(type)
    }
  }
  const waiting = mentions(declared)
  const queue = [...declared]
  for (let type = queue.pop(); type; type = queue.pop()) {
    if (ending.has(type) || !ends(type.target)) continue
    ending.add(type)
    queue.push(...(waiting.get(type) ?? []))
  }
  return ending
}

/** The types that a type is an alias or a sum of. */
const aliasesIn = (type: Type): readonly NamedType[] => {
  if (type.kind === 'named') return [type]
  return type.kind === 'sum' ? type.variants.flatMap(aliasesIn) : []
}

/** The names without a value because of which a type has none. */
const needsOf = (type: Type, ending: ReadonlySet<NamedType>): readonly NamedType[] => {
  switch (type.kind) {
    case 'named':
      return ending.has(type) ? [] : [type]
    case 'record':
      return type.fields.filter((f) => !f.isOptional).flatMap((f) => needsOf(f.type, ending))
    case 'tuple':
    case 'sum':
      return componentsOf(type).flatMap((part) => needsOf(part, ending))
    case 'array':
    case 'map':
    case 'literal':
    case 'string':
    case 'int':
    case 'number':
    case 'bool':
    case 'unit':
    case 'json':
      return []
    default:
      return unreachable(type)
  }
}
