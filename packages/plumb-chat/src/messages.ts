// Faults, events and questions as text for a person.

import { escapeControls, type Fault, isCode, preview } from '@plumb/wire'
import type { ProgramEvent } from './program/events.js'

/** Leaves out the line number, which means nothing to a person who types. */
export const formatFault = ({ error, detail }: Fault, severity: 'error' | 'warning' = 'error'): string => {
  const remedy = isCode(error) ? ` (${error})` : ''
  return `${severity}: ${escapeControls(detail)}${remedy}`
}

const MAX_INPUT_CHARS = 60
const MAX_DETAIL_CHARS = 300

export interface EventForm {
  /** The input of a call, as it was written. */
  readonly inputOf: (id: string) => string | undefined
  /** A person reads it, and sees what a turn has cost at its end. */
  readonly isForPerson: boolean
}

/** One line, without the name of the agent; undefined for an event that is not shown, or is shown in another way. */
export const formatEvent = (event: ProgramEvent, { inputOf, isForPerson }: EventForm): string | undefined => {
  switch (event.kind) {
    case 'usage': {
      if (isForPerson) return undefined
      const { input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens } = event
      const cache =
        cache_read_tokens + cache_creation_tokens > 0 ? ` (cache: ${cache_read_tokens} read, ${cache_creation_tokens} create)` : ''
      return `${input_tokens} in / ${output_tokens} out${cache}`
    }
    case 'tool_result': {
      const call = `${preview(event.name)} ${preview(inputOf(event.id) ?? '', MAX_INPUT_CHARS)}`
      if (!isForPerson) return `${call} -> ${event.is_error ? 'error, ' : ''}${event.bytes} bytes in ${event.ms} ms`
      if (!event.is_error) return `${call}: ${event.bytes} bytes (${timeText(event.ms)})`
      return `${call} failed: ${preview(event.detail ?? 'it does not say why', MAX_DETAIL_CHARS)} (${timeText(event.ms)})`
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

const timeText = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`)
