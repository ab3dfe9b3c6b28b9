// A request to a model and its answer as messages of OpenTelemetry's conventions, for spans that have content. Long ones are shortened, and
// the oldest left out.

import { isRecord, type Telemetry, truncate } from '@plumb/wire'
import type { ChatMessage, ContentBlock, ModelAnswer, ModelRequest } from '../provider/provider.js'
import { FINISH } from './meter.js'

/** Of one text, and of all messages together, in characters. */
const MAX_TEXT = 4096
const MAX_ALL = 16 * 1024

type Exchange = Extract<Telemetry, { kind: 'exchange' }>

export const exchangeOf = ({ history, turn }: Pick<ModelRequest, 'history' | 'turn'>, { content, stop }: ModelAnswer): Exchange => ({
  kind: 'exchange',
  input: newestOf([...history, ...turn]),
  output: [{ role: 'assistant', parts: content.flatMap(partOf), finish_reason: FINISH[stop] }],
})

const newestOf = (messages: readonly ChatMessage[]): readonly object[] => {
  const told: object[] = []
  let length = 0
  for (let i = messages.length - 1; i >= 0 && length <= MAX_ALL; i--) {
    const message = toldMessage(messages[i] as ChatMessage)
    length += JSON.stringify(message).length
    if (length <= MAX_ALL || told.length === 0) told.unshift(message)
  }
  return told
}

const toldMessage = ({ role, content }: ChatMessage): object => {
  if (!Array.isArray(content)) return { role, parts: [{ type: 'text', content: textOf(content) }] }
  const blocks = content as unknown as readonly ContentBlock[]
  const isOfTools = blocks.some((block) => isRecord(block) && block.type === 'tool_result')
  return { role: isOfTools ? 'tool' : role, parts: blocks.flatMap(partOf) }
}

/** Of what has no words only the type is told. */
const partOf = (block: ContentBlock): readonly object[] => {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', content: textOf(block.text) }]
    case 'thinking':
      return [{ type: 'reasoning', content: textOf(block.thinking) }]
    case 'tool_use':
      return [{ type: 'tool_call', id: block.id, name: block.name, arguments: within(block.input) }]
    case 'tool_result':
      return [{ type: 'tool_call_response', id: block.tool_use_id, response: textOf(block.content) }]
    case 'chat_fields':
    case 'redacted_thinking':
      return []
    default:
      return [{ type: block.type }]
  }
}

const textOf = (value: unknown): string => truncate(typeof value === 'string' ? value : JSON.stringify(value ?? null), MAX_TEXT)

const within = (value: unknown): unknown => (JSON.stringify(value ?? null).length <= MAX_TEXT ? value : textOf(value))
