// The question whether a call may be made, for a person at a terminal.

import { escapeControls } from '@plumb/wire'

export interface ConsentQuestion {
  /** A text that does not fit into a few rows, shown once above the question; undefined when `line` is enough. */
  readonly above: string | undefined
  /** A few rows at most, with the name of the tool: whatever the text above looks like, it ends with this. */
  readonly line: string
}

/** A question that is longer than this is written above it. */
const MAX_LINE_CHARACTERS = 160
const MAX_SHOWN_CHARACTERS = 4000

/** With the whole input, as JSON, or with the number of characters that are not shown. `number` goes before it. */
export const consentQuestion = (tool: string, input: string, number = ''): ConsentQuestion => {
  const name = escapeControls(tool)
  const text = inputToShow(input)
  const line = (what: string) => `${number}allow tool '${name}' to run with ${what} ? [y/N] `
  if (text.length <= MAX_LINE_CHARACTERS) return { above: undefined, line: line(text) }
  return { above: `${number}tool '${name}' is to run with ${text}`, line: line('that') }
}

/** Who consents must see that a part of it was cut. */
export const inputToShow = (input: string, max = MAX_SHOWN_CHARACTERS): string => {
  const text = escapeControls(input)
  const hidden = text.length - max
  return hidden <= 0 ? text : `${text.slice(0, max)} … and ${hidden} more characters`
}
