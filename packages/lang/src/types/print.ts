// A type as a user would write it, on one line. Declared types stand by their names, so that recursive ones have an end.

import type { Field, SumType, Type } from './type.js'

/** Annotations are left out: they say nothing of which values belong. No type needs parentheses, since a sum within a sum is one sum. */
export const printType = (type: Type): string => {
  switch (type.kind) {
    case 'named':
      return type.name
    case 'literal':
      return JSON.stringify(type.value)
    case 'record':
      return type.fields.length === 0 ? '{}' : `{ ${type.fields.map(printField).join(', ')} }`
    case 'array':
      return `[${printType(type.item)}]`
    case 'tuple':
      return `(${type.items.map(printType).join(', ')})`
    case 'sum':
      return printSum(type)
    default:
      return type.kind
  }
}

const printField = ({ name, type, isOptional, default: standIn }: Field): string =>
  `${name}${isOptional ? '?' : ''}: ${printType(type)}${standIn === undefined ? '' : ` = ${standIn}`}`

const printSum = ({ variants }: SumType): string => variants.map(printType).join(' | ')
