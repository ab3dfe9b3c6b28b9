// A type with room for other values of its kind: what begins as "" may become any text, and what begins as [] any list.

import { joinAll } from './join.js'
import { STRING, type Type } from './type.js'

/** Widens literals to string, and lists of fixed length to any length. */
export const widened = (type: Type): Type => {
  switch (type.kind) {
    case 'literal':
      return STRING
    case 'record':
      return { ...type, fields: type.fields.map((field) => ({ ...field, type: widened(field.type) })) }
    case 'tuple': {
      const item = joinAll(type.items.map(widened))
      return item ? { kind: 'array', item } : type
    }
    case 'array':
      return { kind: 'array', item: widened(type.item) }
    case 'sum':
      return joinAll(type.variants.map(widened)) ?? type
    default:
      return type
  }
}
