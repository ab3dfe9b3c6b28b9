// The nesting depth of values: no message may be nested deeper than its readers accept.

import { MAX_JSON_DEPTH } from '@plumb/wire/json'
import { error, type Report } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import { componentsOf, isContainer } from './parts.js'
import type { NamedType, Type } from './type.js'

/** Whether the type does not bound the depth of its values: it contains `json`, or itself. */
export const isUnbounded = (type: Type): boolean => {
  const open = new Set<NamedType>()
  const bounded = new Set<Type>()
  const look = (type: Type): boolean => {
    if (bounded.has(type)) return false
    const isFound = lookInto(type)
    // An inferred type may hold one part in many places.
    if (!isFound) bounded.add(type)
    return isFound
  }
  const lookInto = (type: Type): boolean => {
    if (type.kind === 'json') return true
    if (type.kind !== 'named') return componentsOf(type).some(look)
    if (open.has(type)) return true
    open.add(type)
    return look(type.target)
  }
  return look(type)
}

/** The depth of a type's values, without those behind its names. */
const depthOf = (type: Type): number => {
  const known = depths.get(type)
  if (known !== undefined) return known
  const depth = depthOfParts(type)
  depths.set(type, depth)
  return depth
}

// An inferred type may hold one part in many places.
const depths = new WeakMap<Type, number>()

const depthOfParts = (type: Type): number => deepest(componentsOf(type)) + (isContainer(type) ? 1 : 0)

const deepest = (types: readonly Type[]): number => types.reduce((depth, type) => Math.max(depth, depthOf(type)), 0)

/** No value of such a type could be read. For an inferred type: written values are nested less. */
export const refuseDeepType = (type: Type, span: Span, report: Report): boolean => {
  if (depthOf(type) <= MAX_JSON_DEPTH) return false
  report(error('too_deep', `what comes out here is nested more than ${MAX_JSON_DEPTH} deep, and no value may be`, span))
  return true
}
