// Things between brackets, with commas between them: on one line, or each on its own.

import { type Doc, group, indent } from './doc.js'
import { aroundComma, breaking, closing, type Gap, hasNewline } from './gap.js'
import type { TokenReader } from './token-reader.js'

export interface BracketOptions {
  /** Inside the brackets, on one line. */
  readonly padding?: '' | ' '
  /** Several lines stay several lines if the author ended one after the opening bracket; so do empty lines between them. */
  readonly isAuthors?: boolean
}

/** The next token opens, the one after the last element closes. */
export const bracketed = (
  r: TokenReader,
  elements: readonly (() => Doc)[],
  { padding = '', isAuthors = false }: BracketOptions = {},
): Doc => {
  const open = r.take()
  const first = r.gap()
  if (elements.length === 0) return emptyBracket(r, open, first, padding)
  const parts: Doc[] = [breaking(first, padding, isAuthors && 'but first')]
  elements.forEach((element, i) => {
    if (i > 0) {
      const before = r.gap()
      r.drop()
      parts.push(aroundComma(before, r.gap(), isAuthors))
    }
    parts.push(element())
  })
  const { inside, outside } = closing(r.gap(), padding, isAuthors)
  return group([open, indent([parts, inside]), outside, r.take()], isAuthors && hasNewline(first))
}

export const emptyBracket = (r: TokenReader, open: Doc, gap: Gap, padding: '' | ' '): Doc => {
  if (gap.comments.length === 0) return [open, r.take()]
  const { inside, outside } = closing(gap, padding, true)
  return group([open, indent(inside), outside, r.take()])
}
