// Reads a value with its type as guide: where the type has a list and the answer one lone value, that value is the list.

import { resolve, type Type } from '@plumb/lang'
import type { Loose } from './loose-json.js'

/** The same value when nothing is to be done. Whether it fits at all is for the validator to say; `fits` asks it about a part. */
export const wrapLoneValues = (value: Loose, type: Type, fits: (value: Loose, type: Type) => boolean): Loose => {
  let steps = MAX_STEPS

  const guide = (value: Loose, type: Type): Loose => {
    if (steps-- <= 0) return value
    const t = resolve(type)
    switch (t.kind) {
      case 'array':
        return { kind: 'array', items: (value.kind === 'array' ? value.items : [value]).map((item) => guide(item, t.item)) }
      case 'tuple':
        if (value.kind !== 'array') return value
        return { kind: 'array', items: value.items.map((item, i) => guide(item, t.items[i] ?? type)) }
      case 'record':
        if (value.kind !== 'object') return value
        return { kind: 'object', entries: value.entries.map(([key, item]) => [key, guideField(key, item, t.fields)]) }
      case 'sum':
        return fits(value, t) ? value : (t.variants.map((variant) => guide(value, variant)).find((guided) => fits(guided, t)) ?? value)
      default:
        return value
    }
  }

  const guideField = (key: string, item: Loose, fields: readonly { readonly name: string; readonly type: Type }[]): Loose => {
    const field = fields.find(({ name }) => name === JSON.parse(key))
    return field ? guide(item, field.type) : item
  }

  return guide(value, type)
}

// Sums within sums multiply the ways to read a value; an answer that needs more than this is asked for again instead.
const MAX_STEPS = 10_000
