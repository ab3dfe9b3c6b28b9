// A type as a user would write it, on one line. Declared types stand by their names, so that recursive ones have an end.

import { unreachable } from '../diagnostic/unreachable.js'
import type { Field, Type } from './type.js'

/** What a person reads of a type in a message. An inferred type may share its parts, and be longer written out than any memory. */
const MAX_SHOWN = 4000
/** The whole of any type that is written by hand, for programs that read it. */
export const MAX_WRITTEN = 1_000_000

/**
 * Annotations are left out: they say nothing of which values belong. No type needs parentheses, since a sum within a sum is one sum. Of a
 * longer type what is behind `max` characters is left out, and `…` stands for it.
 */
export const printType = (type: Type, max = MAX_SHOWN): string => {
  const parts: string[] = []
  let rest = max
  const put = (text: string): void => {
    if (rest < 0) return
    rest -= text.length
    parts.push(rest < 0 ? `${text.slice(0, text.length + rest)}…` : text)
  }
  const list = <T>(items: readonly T[], between: string, print: (item: T) => void): void => {
    for (const [i, item] of items.entries()) {
      if (rest < 0) return
      if (i > 0) put(between)
      print(item)
    }
  }
  const field = ({ name, type: of, isOptional, default: standIn }: Field): void => {
    put(`${name}${isOptional ? '?' : ''}: `)
    print(of)
    if (standIn !== undefined) put(` = ${standIn}`)
  }
  const print = (part: Type): void => {
    if (rest < 0) return
    switch (part.kind) {
      case 'named':
        return put(part.name)
      case 'literal':
        return put(JSON.stringify(part.value))
      case 'record':
        if (part.fields.length === 0) return put('{}')
        put('{ ')
        list(part.fields, ', ', field)
        return put(' }')
      case 'array':
        put('[')
        print(part.item)
        return put(']')
      case 'map':
        put('{ [string]: ')
        print(part.item)
        return put(' }')
      case 'tuple':
        put('(')
        list(part.items, ', ', print)
        return put(')')
      case 'sum':
        return list(part.variants, ' | ', print)
      case 'string':
      case 'int':
      case 'number':
      case 'bool':
      case 'unit':
      case 'json':
        return put(part.kind)
      default:
        return unreachable(part)
    }
  }
  print(type)
  return parts.join('')
}
