// Puts a sentence into a value of a type: the smallest value that carries it, so that typed pipelines run offline.

import { type Field, type Json, resolve, type Type, unreachable } from '@plumb/lang'

/**
 * The sentence goes into the first place that takes any string: of what must be there before what may be absent, and into a list or a map
 * only where there is no other place. All else is as small as it can be: 0, false, the first variant, no items, optional
 * fields absent. A type with no place for a sentence gets its smallest value; undefined when no value of it ends.
 */
export const fit = (type: Type, sentence: string): Json | undefined => {
  for (const reach of ['required', 'optional', 'lists'] as const) {
    const value = carry(type, sentence, reach, [])
    if (value !== undefined) return value
  }
  return smallest(type, [])
}

type Reach = 'required' | 'optional' | 'lists'

// `open` are the types that this one is in: a recursive type is not entered twice, so the value ends.
const carry = (type: Type, sentence: string, reach: Reach, open: readonly Type[]): Json | undefined => {
  const t = resolve(type)
  if (open.includes(t)) return undefined
  const within = [...open, t]
  switch (t.kind) {
    case 'string':
    case 'json':
      return sentence
    case 'record':
      return carryInRecord(t.fields, sentence, reach, within)
    case 'tuple':
      return carryInTuple(t.items, sentence, reach, within)
    case 'array': {
      const item = reach === 'lists' ? carry(t.item, sentence, reach, within) : undefined
      return item === undefined ? undefined : [item]
    }
    case 'map': {
      const item = reach === 'lists' ? carry(t.item, sentence, reach, within) : undefined
      return item === undefined ? undefined : { text: item }
    }
    case 'sum':
      return first(t.variants, (variant) => carry(variant, sentence, reach, within))
    case 'int':
    case 'number':
    case 'bool':
    case 'unit':
    case 'literal':
      return undefined
    default:
      return unreachable(t)
  }
}

const carryInRecord = (fields: readonly Field[], sentence: string, reach: Reach, open: readonly Type[]): Json | undefined => {
  const required = fields.filter((field) => !mayBeAbsent(field))
  const others = reach === 'required' ? [] : fields.filter(mayBeAbsent)
  return first([...required, ...others], (carrier) => {
    const value = carry(carrier.type, sentence, reach, open)
    return value === undefined ? undefined : smallestRecord(fields, open, new Map([[carrier, value]]))
  })
}

const carryInTuple = (items: readonly Type[], sentence: string, reach: Reach, open: readonly Type[]): Json | undefined =>
  first([...items.keys()], (place) => {
    const carrier = carry(items[place] as Type, sentence, reach, open)
    return carrier === undefined ? undefined : whole(items.map((item, i) => (i === place ? carrier : smallest(item, open))))
  })

const smallest = (type: Type, open: readonly Type[]): Json | undefined => {
  const t = resolve(type)
  if (open.includes(t)) return undefined
  switch (t.kind) {
    case 'string':
      return ''
    case 'literal':
      return t.value
    case 'int':
    case 'number':
      return 0
    case 'bool':
      return false
    case 'unit':
    case 'json':
      return null
    case 'array':
      return []
    case 'map':
      return {}
    case 'tuple':
      return whole(t.items.map((item) => smallest(item, [...open, t])))
    case 'record':
      return smallestRecord(t.fields, [...open, t], new Map())
    case 'sum':
      return first(t.variants, (variant) => smallest(variant, [...open, t]))
    default:
      return unreachable(t)
  }
}

const smallestRecord = (fields: readonly Field[], open: readonly Type[], given: ReadonlyMap<Field, Json>): Json | undefined => {
  const record: { [name: string]: Json } = Object.create(null)
  for (const field of fields) {
    const isGiven = given.has(field)
    if (!isGiven && mayBeAbsent(field)) continue
    const value = isGiven ? given.get(field) : inRange(smallest(field.type, open), field)
    if (value === undefined) return undefined
    record[field.name] = value
  }
  return record
}

const mayBeAbsent = (field: Field): boolean => field.isOptional || field.default !== undefined

// @min and @max bind models, so they bind this one.
const inRange = (value: Json | undefined, { type, min, max }: Field): Json | undefined => {
  if (value !== 0 || (min ?? 0) > (max ?? Infinity)) return value
  const isInt = resolve(type).kind === 'int'
  if (min !== undefined && min > 0) return isInt ? Math.ceil(min) : min
  if (max !== undefined && max < 0) return isInt ? Math.floor(max) : max
  return value
}

const whole = (items: readonly (Json | undefined)[]): Json | undefined => (items.every((item) => item !== undefined) ? items : undefined)

const first = <T>(candidates: readonly T[], find: (candidate: T) => Json | undefined): Json | undefined => {
  for (const candidate of candidates) {
    const found = find(candidate)
    if (found !== undefined) return found
  }
  return undefined
}
