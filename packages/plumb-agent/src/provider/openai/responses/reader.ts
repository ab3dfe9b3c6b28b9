// Reads an answer from the events of a response: items in their order, complete and unchanged.

import { randomUUID } from 'node:crypto'
import { readCallInput } from '../../call-input.js'
import type { Failure } from '../../http/failure.js'
import { at, listAt, numberAt, textAt } from '../../http/json-path.js'
import { type AnswerReader, asJson, type Finished } from '../../protocol.js'
import type { ContentBlock, ModelRequest } from '../../provider.js'
import type { WireNames } from '../../wire-names.js'
import { readTokenUsage } from '../usage.js'

export const openReader = ({ emit }: Pick<ModelRequest, 'emit'>, names: WireNames, fail: (error: unknown) => Failure): AnswerReader => {
  const items = new Map<number, unknown>()
  /** The response, from its last event. */
  let response: unknown
  let isOver = false

  const end = (event: unknown): undefined => {
    response = at(event, 'response')
    isOver = true
    for (const [index, item] of listAt(response, 'output').entries()) if (!items.has(index)) items.set(index, item)
  }

  const take = (event: unknown): Failure | undefined => {
    switch (textAt(event, 'type')) {
      case 'response.output_text.delta':
        emit({ kind: 'text', delta: textAt(event, 'delta') ?? '' })
        return undefined
      case 'response.reasoning_summary_text.done':
      case 'response.reasoning_text.done':
        emit({ kind: 'thinking', text: textAt(event, 'text') ?? '' })
        return undefined
      case 'response.output_item.done':
        items.set(numberAt(event, 'output_index') ?? items.size, at(event, 'item'))
        return undefined
      case 'response.completed':
      case 'response.incomplete':
        return end(event)
      case 'response.failed':
        return fail(at(event, 'response', 'error') ?? event)
      case 'error':
        return fail(at(event, 'error') ?? { type: at(event, 'code'), message: at(event, 'message') })
      default:
        // Future events of the API.
        return at(event, 'error') ? fail(at(event, 'error')) : undefined
    }
  }

  return {
    take,
    get isOver() {
      return isOver
    },
    get isWhole() {
      return isOver
    },
    finish: () => {
      const said = [...items].sort(([a], [b]) => a - b).map(([, item]) => item)
      const content = said.flatMap((item) => toBlocks(item, names))
      return { content, stop: stopOf(response, said), usage: readTokenUsage(at(response, 'usage'), 'input', 'output') }
    },
  }
}

const toBlocks = (item: unknown, names: WireNames): ContentBlock[] => {
  switch (textAt(item, 'type')) {
    case 'message': {
      const text = listAt(item, 'content')
        .map((part) => textAt(part, 'text') ?? textAt(part, 'refusal') ?? '')
        .join('')
      const phase = textAt(item, 'phase')
      const isPhase = phase === 'commentary' || phase === 'final_answer'
      return text === '' ? [] : [{ type: 'text', text, ...(isPhase ? { phase } : {}) }]
    }
    case 'function_call': {
      const id = textAt(item, 'call_id') || `call_${randomUUID()}`
      return [{ type: 'tool_use', id, name: names.toOwn(textAt(item, 'name') ?? ''), ...readCallInput(textAt(item, 'arguments') ?? '') }]
    }
    case undefined:
      return []
    default:
      // Reasoning, and calls of the API's own tools: they are sent back unchanged, and read-message recognises them.
      return [asJson(item) as unknown as ContentBlock]
  }
}

const stopOf = (response: unknown, items: readonly unknown[]): Finished['stop'] => {
  const reason = textAt(response, 'incomplete_details', 'reason')
  const isRefused = items.some((item) => listAt(item, 'content').some((part) => textAt(part, 'type') === 'refusal'))
  if (isRefused || reason === 'content_filter') return 'refused'
  if (reason !== undefined) return 'tokens'
  return items.some((item) => textAt(item, 'type') === 'function_call') ? 'tool_use' : 'end'
}

/** Converts a plain reply to the events of a stream. */
export const eventsOf = (response: unknown): readonly unknown[] => {
  const status = textAt(response, 'status')
  if (status === 'failed') return [{ type: 'response.failed', response }]
  if (status !== 'completed' && status !== 'incomplete') return []
  const parts = listAt(response, 'output').flatMap((item) => [...listAt(item, 'summary'), ...listAt(item, 'content')])
  const events = parts.flatMap((part) => {
    const text = textAt(part, 'text')
    if (text === undefined) return []
    const thought = THOUGHT.get(textAt(part, 'type') ?? '')
    return [thought ? { type: thought, text } : { type: 'response.output_text.delta', delta: text }]
  })
  return [...events, { type: `response.${status}`, response }]
}

/** By the type of a part, the stream event that carries it. */
const THOUGHT = new Map([
  ['summary_text', 'response.reasoning_summary_text.done'],
  ['reasoning_text', 'response.reasoning_text.done'],
])
