// A default that is a record has the defaults of its own type filled in.

import { parseTree } from '@plumb/wire/json'
import { typesWithin } from '../types/parts.js'
import { hasDefaults } from '../types/required-fields.js'
import type { Type } from '../types/type.js'
import { fillDefaults } from '../validate/defaults.js'

/** In rounds and characters: a default may hold itself. */
const MAX_ROUNDS = 64
const MAX_CHARACTERS = 1_000_000

/** JSON text that has the type, with all its defaults. Undefined: it has no end. */
export const filledText = (type: Type, text: string): string | undefined => {
  let filled = text
  for (let round = 0; round < MAX_ROUNDS && filled.length < MAX_CHARACTERS; round++) {
    const buf = Buffer.from(`${filled}\n`)
    const tree = parseTree(buf, 0, buf.length - 1)
    const next = tree.kind === 'fault' ? undefined : fillDefaults(type, buf, tree)
    if (!next) return filled
    filled = next.toString()
  }
  return undefined
}

/** Of all fields in it. Those without an end are left, and are reported where they are declared. */
export const fillOwnDefaults = (type: Type): void => {
  if (!hasDefaults(type)) return
  for (const part of typesWithin(type)) {
    if (part.kind !== 'record') continue
    for (const field of part.fields) {
      const { default: text } = field
      if (text === undefined || !hasDefaults(field.type)) continue
      ;(field as { default?: string }).default = filledText(field.type, text) ?? text
    }
  }
}
