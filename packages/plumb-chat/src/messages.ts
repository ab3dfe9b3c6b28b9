// Faults, events and questions as text for a person.

import { escapeControls, type Fault, isCode, preview } from '@plumb/wire'
import type { ProgramEvent } from './program/events.js'
import type { Question } from './terminal/terminal.js'

/** Leaves out the line number, which means nothing to a person who types. */
export const formatFault = ({ error, detail }: Fault, severity: 'error' | 'warning' = 'error'): string => {
  const remedy = isCode(error) ? ` (${error})` : ''
  return `${severity}: ${escapeControls(detail)}${remedy}`
}

const MAX_INPUT_CHARS = 60

/** One line, without the name of the agent; undefined for an event that is not shown, or is shown in another way. */
export const formatEvent = (event: ProgramEvent, inputOf: (id: string) => string | undefined): string | undefined => {
  switch (event.kind) {
    case 'usage': {
      const { input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens } = event
      const cache =
        cache_read_tokens + cache_creation_tokens > 0 ? ` (cache: ${cache_read_tokens} read, ${cache_creation_tokens} create)` : ''
      return `${input_tokens} in / ${output_tokens} out${cache}`
    }
    case 'tool_result': {
      const input = preview(inputOf(event.id) ?? '', MAX_INPUT_CHARS)
      return `${preview(event.name)} ${input} -> ${event.is_error ? 'error, ' : ''}${event.bytes} bytes in ${event.ms} ms`
    }
    case 'retry':
      return `asks again (${event.attempt}): ${preview(event.reason, 200)}`
    case 'mended':
      return `mended: ${preview(event.what, 200)}`
    case 'concession':
      return `asks without ${preview(event.what)}: ${preview(event.why, 200)}`
    default:
      return undefined
  }
}

/**
 * The question whether a tool may run: with its whole input, or with the number of characters that are not shown. `number` goes before it.
 */
export const formatApproval = (tool: string, input: string, number: string): Question => {
  const name = escapeControls(tool)
  const text = escapeControls(input)
  const line = (what: string) => `${number}allow tool '${name}' to run with ${what} ? [y/N] `
  if (text.length <= MAX_LINE_CHARS) return { above: undefined, line: line(text) }
  const hidden = text.length - MAX_SHOWN_CHARS
  const shown = hidden <= 0 ? text : `${text.slice(0, MAX_SHOWN_CHARS)} … and ${hidden} more characters`
  return { above: `${number}tool '${name}' is to run with ${shown}`, line: line('that') }
}

/** A question is drawn again and again; one that is longer than this is written once, above it. */
const MAX_LINE_CHARS = 160
const MAX_SHOWN_CHARS = 4000
