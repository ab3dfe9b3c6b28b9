// Reads an answer from the events of a response: items in their order, complete and unchanged.

import type { Failure, ReplyFailures } from '../../http/failure.js'
import { at, listAt, textAt } from '../../http/json-path.js'
import type { AnswerReader } from '../../protocol.js'
import type { ModelRequest } from '../../provider.js'
import { finishReply } from '../../reply/finish-reply.js'
import { replyFacts } from '../../reply/reply-facts.js'
import { errorIn } from '../../reply/server-words.js'
import type { WireNames } from '../../wire-names.js'
import { readTokenUsage } from '../usage.js'
import { ItemDrafts } from './item-drafts.js'

type Asked = Pick<ModelRequest, 'emit' | 'tools'>

export const openReader = ({ emit, tools }: Asked, names: WireNames, failures: ReplyFailures): AnswerReader => {
  const items = new ItemDrafts()
  /** The response, from its last event. */
  let response: unknown
  let reason: string | undefined
  let isOver = false

  const end = (event: unknown, status: string): Failure | undefined => {
    response = at(event, 'response')
    isOver = true
    const said = textAt(response, 'status') ?? status
    if (said === 'failed') return failures.ofError(at(response, 'error') ?? response)
    // Without details it is not known why, nor whether it may be longer the next time.
    const isCut = said === 'incomplete' || status === 'incomplete'
    reason = isCut ? (textAt(response, 'incomplete_details', 'reason') ?? 'incomplete') : said
    return undefined
  }

  const take = (event: unknown): Failure | undefined => {
    const type = textAt(event, 'type')
    switch (type) {
      case 'response.output_text.delta':
        emit({ kind: 'text', delta: textAt(event, 'delta') ?? '' })
        items.grow(event, 'text')
        return undefined
      case 'response.refusal.delta':
        items.grow(event, 'refusal')
        return undefined
      case 'response.function_call_arguments.delta':
        items.grow(event, 'arguments')
        return undefined
      case 'response.output_text.done':
      case 'response.refusal.done':
      case 'response.function_call_arguments.done':
        items.settle(event, DONE[type])
        return undefined
      case 'response.content_part.done':
        items.settlePart(event)
        return undefined
      case 'response.reasoning_summary_text.done':
      case 'response.reasoning_text.done':
        emit({ kind: 'thinking', text: textAt(event, 'text') ?? '' })
        return undefined
      case 'response.output_item.added':
      case 'response.output_item.done':
        items.take(event, type === 'response.output_item.done')
        return undefined
      case 'response.completed':
      case 'response.incomplete':
      case 'response.cancelled':
      // Gateways: its status says how.
      case 'response.done':
        return end(event, type.slice('response.'.length))
      case 'response.failed':
      case 'error':
        return failures.ofError(at(event, 'response', 'error') ?? event)
      default: {
        // Future events of the API have a type of their own.
        const error = type === undefined || at(event, 'error') ? errorIn(event) : undefined
        return error ? failures.ofError(error) : undefined
      }
    }
  }

  return {
    take,
    get isOver() {
      return isOver
    },
    finish: () => {
      if (!isOver) return { ok: false, failure: failures.ofBroken('ended its reply before the answer was whole') }
      const { content, isRefused, isCut, isEmpty } = items.finish(response, names)
      if (isEmpty && isWhole(reason)) return { ok: false, failure: failures.ofBroken('ended its reply without an answer') }
      const offered = tools.map(({ name }) => names.toWire(name))
      const [usage, reply] = [readTokenUsage(at(response, 'usage')), replyFacts(response, at(response, 'usage'))]
      return finishReply({ content, usage, reply, reason: isCut && isWhole(reason) ? 'incomplete' : reason, isRefused, offered }, failures)
    },
  }
}

/** What of an item is whole then. */
const DONE = {
  'response.output_text.done': 'text',
  'response.refusal.done': 'refusal',
  'response.function_call_arguments.done': 'arguments',
} as const

/** Converts a plain reply to the events of a stream. */
export const eventsOf = (response: unknown): readonly unknown[] => {
  const status = textAt(response, 'status')
  if (status === 'failed') return [{ type: 'response.failed', response }]
  if (status === undefined || !ENDS.has(status)) return []
  const events = listAt(response, 'output').flatMap((item, output_index) =>
    [...listAt(item, 'summary'), ...listAt(item, 'content')].flatMap((part) => {
      const text = textAt(part, 'text')
      if (text === undefined) return []
      const thought = THOUGHT.get(textAt(part, 'type') ?? '')
      const place = { output_index, item_id: textAt(item, 'id') }
      return [thought ? { type: thought, text } : { type: 'response.output_text.delta', ...place, delta: text }]
    }),
  )
  return [...events, { type: 'response.done', response }]
}

const ENDS: ReadonlySet<string> = new Set(['completed', 'incomplete', 'cancelled', 'requires_action'])

const isWhole = (reason: string | undefined): boolean => reason === 'completed' || reason === 'requires_action'

/** By the type of a part, the stream event that carries it. */
const THOUGHT = new Map([
  ['summary_text', 'response.reasoning_summary_text.done'],
  ['reasoning_text', 'response.reasoning_text.done'],
])
