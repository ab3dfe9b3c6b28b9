// Shows what is wrong with the spec that a prompt file becomes at its place in that file.

import type { Diagnostic, Span } from '@plumb/lang'
import type { PromptFile } from './prompt.js'
import type { PlacedText } from './prompt-spec.js'

export type ToPrompt = (diagnostic: Diagnostic) => Diagnostic

/** Those of other files stay as they are. */
export const placesOfPrompt =
  ({ path, place }: Pick<PromptFile, 'path' | 'place'>, places: readonly PlacedText[]): ToPrompt =>
  (diagnostic) => {
    const { span, message, severity, code, help } = diagnostic
    if (span.source.path !== path || span.source === place.source) return diagnostic
    const from = places.find((text) => span.start >= text.from && span.start < text.to)?.place
    return {
      severity,
      code,
      message,
      span: wordIn(from ?? place, message) ?? from ?? firstLine(place),
      ...(help === undefined ? {} : { help }),
    }
  }

/** The first of the words in quotes that is there: as an attribute has it, such as `command=`, or anywhere. */
const wordIn = ({ source, start, end }: Span, message: string): Span | undefined => {
  const text = source.text.slice(start, end)
  for (const [, word = ''] of message.matchAll(/'([^']+)'/g)) {
    const at = new RegExp(`(?<![\\w-])${word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(?![\\w-])`).exec(text)?.index
    if (at !== undefined) return { source, start: start + at, end: start + at + word.length }
  }
  return undefined
}

const firstLine = ({ source, start, end }: Span): Span => {
  const newline = source.text.indexOf('\n', start)
  return { source, start, end: newline < 0 ? end : newline }
}
