// What programs say, in words for a person.

import { escapeControls, type Fault, isCode, preview } from '@plumb/wire'
import type { Told } from './session.js'
import type { Question } from './terminal/terminal.js'

export const isFault = (value: unknown): value is Fault =>
  typeof value === 'object' && value !== null && 'error' in value && 'detail' in value && typeof value.detail === 'string'

/** Where in a stream of inputs it happened means nothing to whoever typed them. */
export const faultWords = ({ error, detail }: Fault): string => {
  const remedy = isCode(error) ? ` (${error})` : ''
  return `error: ${escapeControls(detail)}${remedy}`
}

const MOST_INPUT = 60

/** One line, without the name of the agent; undefined where there is nothing to say of it, or other words say it. */
export const toldWords = (told: Told, inputOf: (id: string) => unknown): string | undefined => {
  switch (told.kind) {
    case 'usage': {
      const { input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens } = told
      const cache =
        cache_read_tokens + cache_creation_tokens > 0 ? ` (cache: ${cache_read_tokens} read, ${cache_creation_tokens} create)` : ''
      return `${input_tokens} in / ${output_tokens} out${cache}`
    }
    case 'tool_result': {
      const input = preview(JSON.stringify(inputOf(told.id)) ?? '', MOST_INPUT)
      return `${preview(told.name)} ${input} -> ${told.is_error ? 'error, ' : ''}${told.bytes} bytes in ${told.ms} ms`
    }
    case 'retry':
      return `asks again (${told.attempt}): ${preview(told.reason, 200)}`
    case 'mended':
      return `mended: ${preview(told.what, 200)}`
    default:
      return undefined
  }
}

/** About a call that waits for a person's word; whoever consents sees all of it, or how much is not shown. `number` goes before it. */
export const approvalQuestion = (tool: string, input: unknown, number: string): Question => {
  const name = escapeControls(tool)
  const text = escapeControls(JSON.stringify(input))
  const line = (what: string) => `${number}allow tool '${name}' to run with ${what} ? [y/N] `
  if (text.length <= MOST_IN_LINE) return { above: undefined, line: line(text) }
  const hidden = text.length - MOST_SHOWN
  const shown = hidden <= 0 ? text : `${text.slice(0, MOST_SHOWN)} … and ${hidden} more characters`
  return { above: `${number}tool '${name}' is to run with ${shown}`, line: line('that') }
}

/** Of a question that is drawn again and again; a longer one is written once above it. */
const MOST_IN_LINE = 160
const MOST_SHOWN = 4000
