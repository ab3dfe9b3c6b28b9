// Prints a type as a user would write it, on one line. Declared types are printed by name, so that recursive ones end.

import { unreachable } from '../diagnostic/unreachable.js'
import { isNever } from './kind.js'
import type { Field, Type } from './type.js'

/** Maximum characters in messages. An inferred type may share its parts, and exceed any memory when written out. */
const MAX_SHOWN = 4000
/** Longer than any type written by hand, for programs that read it. */
export const MAX_WRITTEN = 1_000_000

/**
 * Annotations are left out: they do not affect which values belong. No type needs parentheses, since sums are flat. A type of more than
 * `max` characters is cut, and ends in `…`.
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
    put(`${fieldName(name)}${isOptional ? '?' : ''}: `)
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
        if (part.fields.length === 0) return put(part.isOpen ? '{ ... }' : '{}')
        put('{ ')
        list(part.fields, ', ', field)
        if (part.isOpen) put(', ...')
        return put(' }')
      case 'array':
        put('[')
        if (!isNever(part.item)) print(part.item)
        return put(']')
      case 'map':
        // Of no value: the map without entries.
        if (isNever(part.item)) return put('{}')
        put('{ [string]: ')
        print(part.item)
        return put(' }')
      // A list literal of one element or of none is no tuple that could be written.
      case 'tuple': {
        const isPair = part.items.length > 1
        put(isPair ? '(' : '[')
        list(part.items, ', ', print)
        return put(isPair ? ')' : ']')
      }
      case 'sum':
        return isNever(part) ? put('never') : list(part.variants, ' | ', print)
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

/** As it is written in a type or an expression: a string where it is not an identifier. */
/** As a spec writes it. */
export const fieldName = (name: string): string => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : JSON.stringify(name))
