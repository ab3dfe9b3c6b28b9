// The narrowest type of a value.

import { joinAll } from './join.js'
import { printType } from './print.js'
import { BOOL, INT, JSON_TYPE, type Json, NUMBER, STRING, type Type, UNIT } from './type.js'

/** A list has the common type of its elements; without a common type nothing is known. */
export const typeOfValue = (value: Json): Type => {
  switch (typeof value) {
    case 'string':
      return STRING
    case 'boolean':
      return BOOL
    case 'number':
      return Number.isInteger(value) ? INT : NUMBER
    default:
      break
  }
  if (value === null) return UNIT
  if (Array.isArray(value)) return { kind: 'array', item: typeOfElements(value) }
  const fields = Object.entries(value as { readonly [key: string]: Json })
  return { kind: 'record', fields: fields.map(([name, part]) => ({ name, type: typeOfValue(part), isOptional: false })) }
}

/** A list may be long, and the kinds of its elements few. */
const typeOfElements = (list: readonly Json[]): Type => {
  const kinds = new Map<string, Type>()
  for (const element of list) {
    const type = typeOfValue(element)
    kinds.set(printType(type), type)
    if (kinds.size > MAX_KINDS) return JSON_TYPE
  }
  return joinAll([...kinds.values()]) ?? JSON_TYPE
}

const MAX_KINDS = 20
