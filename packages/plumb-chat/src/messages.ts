// Faults, events and questions as text for a person.

import { escapeControls, type Fault, isCode, preview } from '@plumb/wire'
import type { ProgramEvent } from './program/events.js'

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
