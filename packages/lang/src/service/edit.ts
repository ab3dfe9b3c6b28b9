// A change of a text.

import type { Span } from '../diagnostic/source.js'

/** Text in place of a span, which is empty where nothing is taken away. */
export interface Edit {
  readonly span: Span
  readonly text: string
}

/** The text with all of them, which are of that text and do not overlap. */
export const edited = (text: string, edits: readonly Edit[]): string => {
  let made = text
  for (const { span, text: put } of [...edits].sort((a, b) => b.span.start - a.span.start))
    made = made.slice(0, span.start) + put + made.slice(span.end)
  return made
}
