// The path that a call writes, for calls on the same path to wait for each other.

import type { Json } from '@plumb/lang'
import type { BuiltinContext } from '../builtin.js'
import { type Purpose, pathOf, placeOf } from '../path/place.js'

/** None where the call will be refused anyway. */
export const writtenPath = (input: Json, context: BuiltinContext, purpose: Purpose = 'write'): readonly string[] => {
  const { path, root } = input as { path: string; root?: string }
  const place = placeOf(path, purpose, context, root)
  return place.ok ? [pathOf(place.value)] : []
}
