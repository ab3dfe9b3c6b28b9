// The part of a long text that one call gives.

import { fail, type Result, succeed } from '@plumb/wire'
import { charactersOf } from '../../../call/cut-text.js'

/** In characters, where `max_output` of the tool does not say otherwise: all of it enters a conversation. */
export const DEFAULT_MAX_OUTPUT = 100_000

export interface TextPart {
  readonly text: string
  /** Characters after it. */
  readonly left: number
  /** The offset of what is left. */
  readonly end: number
}

/**
 * At most `max` characters from `offset` on, to the end of a line where one ends in their second half. Characters are code points.
 * `step`: what a part is a multiple of, for texts without lines.
 */
export const partOf = (text: string, offset: number, max: number, step = 1): Result<TextPart> => {
  const length = charactersOf(text)
  if (offset > length)
    return fail('input_type_mismatch', `offset ${offset} is asked for, and there are ${length} characters`, { path: 'offset' })
  const from = indexOf(text, 0, offset)
  const limit = indexOf(text, from, Math.max(step, max - (max % step)))
  const lineEnd = step > 1 || limit === text.length ? 0 : text.lastIndexOf('\n', limit - 1) + 1
  const to = max === 0 ? from : lineEnd > from + (limit - from) / 2 ? lineEnd : limit
  const part = text.slice(from, to)
  const end = offset + charactersOf(part)
  return succeed({ text: part, left: length - end, end })
}

/** The index that many code points after another one. */
const indexOf = (text: string, from: number, count: number): number => {
  let at = from
  for (let left = count; left > 0 && at < text.length; left--) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return at
}
