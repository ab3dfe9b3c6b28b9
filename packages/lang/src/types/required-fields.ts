// Which fields a message must have before, and has after, defaults are added.

import { typesWithin } from './parts.js'
import { type Field, type RecordType, resolve, type Type } from './type.js'

export const fieldOf = ({ fields }: RecordType, name: string): Field | undefined => {
  if (fields.length <= MAX_UNINDEXED) return fields.find((f) => f.name === name)
  const index = indexes.get(fields) ?? new Map(fields.map((f) => [f.name, f]))
  indexes.set(fields, index)
  return index.get(name)
}

// To look at so many is faster than to index them.
const MAX_UNINDEXED = 8
const indexes = new WeakMap<readonly Field[], ReadonlyMap<string, Field>>()

/** A message without it is a mismatch. A field with a default may be absent: it is then added. */
export const isRequired = (field: Field): boolean => !field.isOptional && field.default === undefined

/** Present for readers, since defaults are added where a message enters a type. */
export const isPresent = (field: Field): boolean => !field.isOptional || field.default !== undefined

/** Whether a message of this type can lack a field with a default, at any depth. Requires that all names are resolved. */
export const hasDefaults = (type: Type): boolean => {
  const root = resolve(type)
  let answer = answers.get(root)
  if (answer === undefined) {
    answer = reachesDefault(root)
    answers.set(root, answer)
  }
  return answer
}

const answers = new WeakMap<Type, boolean>()

const reachesDefault = (type: Type): boolean => {
  for (const t of typesWithin(type)) if (t.kind === 'record' && t.fields.some((field) => field.default !== undefined)) return true
  return false
}
