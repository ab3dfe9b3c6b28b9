// What a call is given on the command line, as the input that its tool takes.

import { type Field, resolve, type Type } from '@plumb/lang'
import type { JsonText } from '../json-text.js'

/** A string as it stands: for a record of which one field must be given, and is a string, it is that one. `text` is its JSON. */
export const stringInput = (input: Type, text: JsonText): JsonText => {
  const needed = fieldsOf(input).filter(({ isOptional }) => !isOptional)
  const [only] = needed
  return only && needed.length === 1 && resolve(only.type).kind === 'string' ? `{${JSON.stringify(only.name)}:${text}}` : text
}

/** The tool can try without doing. */
export const canCheck = (input: Type): boolean =>
  fieldsOf(input).some(({ name, type }) => name === 'check' && resolve(type).kind === 'bool')

/** Of two members of one name the last one counts. */
export const withCheck = (input: JsonText): JsonText => {
  const inside = /^\s*\{(.*)\}\s*$/s.exec(input)?.[1]
  if (inside === undefined) return input
  return inside.trim() === '' ? '{"check":true}' : `{${inside},"check":true}`
}

const fieldsOf = (type: Type): readonly Field[] => {
  const resolved = resolve(type)
  return resolved.kind === 'record' ? resolved.fields : []
}
