// The errors of those that were tried one after the other, as one: the last, which carries the earlier ones.

import type { Fault, Result } from '@plumb/wire'
import type { JsonText } from '../json-text.js'

/** Enough to see what happened; what failed a thousand times need not be said a thousand times. */
const MOST = 20

/** `errors` is not empty. What carries earlier ones of its own is taken apart, so that it is all the same how the tries were grouped. */
export const withEarlier = (errors: readonly Fault[]): Result<JsonText> => {
  const all = errors.flatMap(takeApart)
  const last = all.pop() as Fault
  return { ok: false, error: all.length === 0 ? last : { ...last, earlier: all.slice(-MOST) } }
}

const takeApart = ({ earlier, ...error }: Fault): Fault[] => [...(isHistory(earlier) ? earlier : []), error as Fault]

const isHistory = (value: unknown): value is readonly Fault[] => Array.isArray(value)
