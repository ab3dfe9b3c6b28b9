// Which run-time checks an edge from one type to another needs.

import { candidates } from './candidates.js'
import { isEqual } from './equal.js'
import { hasLimits, keepsLimits } from './limits.js'
import { fieldOf, hasDefaults, isPresent } from './required-fields.js'
import { isCompatible, isSubtype } from './subtype.js'
import { resolve, type Type } from './type.js'

/**
 * 'static': every message of the source goes on as it is. 'checked': the receiver checks each message at run time, because the source is
 * or holds `json` where the target does not, or because the target's defaults have to be filled
 * in, or its limits are narrower. 'no': a load error.
 */
export type Wiring = 'static' | 'checked' | 'no'

export const isWirable = (source: Type, target: Type): Wiring => {
  if (resolve(source) === resolve(target)) return 'static'
  if (!isCompatible(source, target)) return 'no'
  return isSubtype(source, target) && !needsLook(source, target) ? 'static' : 'checked'
}

/** Whether they are the same in everything that a check tests. */
export const isSameCheck = (a: Type, b: Type): boolean => isEqual(a, b) && isWirable(a, b) === 'static' && isWirable(b, a) === 'static'

/**
 * Can a message of the source (its own defaults filled in) lack a field for which the target has a default, or be outside a limit of the
 * target? Where in doubt, yes.
 */
export const needsLook = (source: Type, target: Type): boolean => {
  const seen = new Map<Type, Set<Type>>()
  const isNew = (a: Type, b: Type): boolean => {
    const row = seen.get(a) ?? new Set()
    seen.set(a, row)
    return row.size !== row.add(b).size
  }
  const needs = (left: Type, right: Type): boolean => {
    const a = resolve(left)
    const b = resolve(right)
    if (a === b || b.kind === 'json' || !isNew(a, b)) return false
    if (a.kind === 'json') return hasDefaults(b) || hasLimits(b)
    if (a.kind === 'sum') return a.variants.some((variant) => needs(variant, b))
    if (b.kind === 'sum') return candidates(b, a).some((variant) => isCompatible(a, variant) && needs(a, variant))
    if (a.kind === 'record' && b.kind === 'record') {
      return b.fields.some((field) => {
        const given = fieldOf(a, field.name)
        if (field.default !== undefined && !(given && isPresent(given))) return true
        return given !== undefined && (!keepsLimits(given, field) || needs(given.type, field.type))
      })
    }
    if (a.kind === 'record' && b.kind === 'map') return a.fields.some((field) => needs(field.type, b.item))
    if (a.kind === 'map' && b.kind === 'map') return needs(a.item, b.item)
    if (a.kind === 'array' && b.kind === 'array') return needs(a.item, b.item)
    if (a.kind === 'tuple' && b.kind === 'array') return a.items.some((item) => needs(item, b.item))
    if (a.kind === 'tuple' && b.kind === 'tuple') return b.items.some((item, i) => needs(a.items[i] ?? item, item))
    return false
  }
  return needs(source, target)
}
