// A text edit.

import type { Span } from '../diagnostic/source.js'

/** Replaces a span by a text; the span is empty for an insertion. */
export interface Edit {
  readonly span: Span
  readonly text: string
}

/** Applies edits, which must not overlap. */
export const edited = (text: string, edits: readonly Edit[]): string => {
  let made = text
  for (const { span, text: put } of [...edits].sort((a, b) => b.span.start - a.span.start))
    made = made.slice(0, span.start) + put + made.slice(span.end)
  return made
}
