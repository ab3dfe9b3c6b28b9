// The lines that the fragment of a URL names: #L10, #L10-L80, with columns too, as in #L5C3-L8C1.

import { fail, type Result, succeed } from '@plumb/wire'

export interface LineRange {
  /** From 1; the last one is in it. */
  readonly first: number
  readonly last: number
}

/** Undefined: it names none. */
export const lineRangeOf = (fragment: string): LineRange | undefined => {
  const [, from, to = from] = /^#L(\d{1,9})(?:C\d{1,9})?(?:-L?(\d{1,9})(?:C\d{1,9})?)?$/.exec(fragment) ?? []
  if (from === undefined) return undefined
  const [a, b] = [Number(from), Number(to)]
  return { first: Math.max(1, Math.min(a, b)), last: Math.max(1, a, b) }
}

export const sliceLines = (text: string, { first, last }: LineRange): Result<string> => {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  if (first > lines.length) return fail('input_type_mismatch', `line ${first} is asked for, and there are ${lines.length}`)
  const end = Math.min(last, lines.length)
  return succeed(
    lines
      .slice(first - 1, end)
      .map((line, i) => `${String(first + i).padStart(String(end).length)}. ${line}`)
      .join('\n'),
  )
}
