// How deep values are nested: no message may be nested deeper than readers take, whoever made it.

import { SCAN_DEPTH, value } from './scan-json.js'
import { MAX_DEPTH } from './tree.js'
import type { NamedType, Type } from './type.js'

/** Whether the type alone does not say how deep its values are nested: it holds `json`, or itself. */
export const isUnbounded = (type: Type): boolean => {
  const open = new Set<NamedType>()
  const bounded = new Set<NamedType>()
  const look = (type: Type): boolean => {
    switch (type.kind) {
      case 'json':
        return true
      case 'named': {
        if (bounded.has(type)) return false
        if (open.has(type)) return true
        open.add(type)
        if (look(type.target)) return true
        bounded.add(type)
        return false
      }
      case 'record':
        return type.fields.some((field) => look(field.type))
      case 'array':
        return look(type.item)
      case 'tuple':
        return type.items.some(look)
      case 'sum':
        return type.variants.some(look)
      default:
        return false
    }
  }
  return look(type)
}

/** Whether a value is nested more than 512 deep. `buf[start..end)` is JSON, and there is a byte behind it. */
export const isTooDeep = (buf: Buffer, start: number, end: number): boolean =>
  // Each level takes two bytes.
  end - start > 2 * MAX_DEPTH && value(buf, start, SCAN_DEPTH - MAX_DEPTH) < 0
