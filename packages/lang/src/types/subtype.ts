// Subtyping: out(p) <: in(q) of plumbing(5), TYPES.

import { unreachable } from '../diagnostic/unreachable.js'
import { candidates } from './candidates.js'
import { coinductive } from './coinductive.js'
import { fieldOf, isPresent } from './required-fields.js'
import { type RecordType, resolve, type Type } from './type.js'

/**
 * Every message of `a`, with its defaults filled in, is accepted by `b`.
 *
 * Records: each field of `a` is one of `b`, and what `b` requires `a` has. A field of `a` with a default counts as present, because it
 * was filled in where the message entered `a`; a field of `b` with a default may be absent, because it is filled in where the message
 * enters `b`. What an open `a` does not declare may be anything, so only an open `b` takes it. So this is transitive only as far as nothing needs filling (see needsLook).
 */
export const isSubtype = (a: Type, b: Type): boolean => isStatic(a, b)

/** As isSubtype, but a `json` anywhere in `a` may turn out to be what `b` has there: the receiver checks. */
export const isCompatible = (a: Type, b: Type): boolean => isChecked(a, b)

const relation = (when: 'static' | 'checked') =>
  coinductive((a, b, holds) => {
    if (b.kind === 'json') return true
    if (a.kind === 'sum') return a.variants.every((variant) => holds(variant, b))
    if (b.kind === 'sum') return candidates(b, a).some((variant) => holds(a, variant))
    if (a.kind === 'json') return when === 'checked'
    switch (a.kind) {
      case 'literal':
        return b.kind === 'string' || (b.kind === 'literal' && a.value === b.value)
      case 'int':
        return b.kind === 'int' || b.kind === 'number'
      case 'record':
        if (b.kind === 'map') return (!a.isOpen || isAnything(b.item)) && a.fields.every((field) => holds(field.type, b.item))
        return b.kind === 'record' && isRecordSubtype(a, b, holds)
      case 'map':
        return b.kind === 'map' && holds(a.item, b.item)
      case 'array':
        return b.kind === 'array' && holds(a.item, b.item)
      case 'tuple':
        if (b.kind === 'array') return a.items.every((item) => holds(item, b.item))
        return b.kind === 'tuple' && a.items.length === b.items.length && b.items.every((item, i) => holds(a.items[i] ?? item, item))
      case 'string':
      case 'number':
      case 'bool':
      case 'unit':
        return a.kind === b.kind
      default:
        return unreachable(a.kind)
    }
  })

const isStatic = relation('static')
const isChecked = relation('checked')

const isRecordSubtype = (a: RecordType, b: RecordType, holds: (a: Type, b: Type) => boolean): boolean =>
  (!a.isOpen || b.isOpen === true) &&
  a.fields.every((field) => {
    const target = fieldOf(b, field.name)
    return target ? holds(field.type, target.type) : b.isOpen === true
  }) &&
  b.fields.every((target) => {
    const field = fieldOf(a, target.name)
    if (field && isPresent(field)) return true
    return (target.isOptional || target.default !== undefined) && (field !== undefined || !a.isOpen || isAnything(target.type))
  })

const isAnything = (type: Type): boolean => resolve(type).kind === 'json'
