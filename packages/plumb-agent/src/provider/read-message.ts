// Splits a message of the memory into parts that a provider can send: any content can be shown in some form.

import type { Json } from '@plumb/lang'
import { isRecord, preview } from '@plumb/wire'
import { withWritten } from './call-input.js'
import { at, textAt } from './http/json-path.js'
import { isMedia, type MediaBlock, readMedia } from './media-block.js'
import { fieldsOf } from './openai/chat/message-fields.js'
import type { ChatMessage, ContentBlock } from './provider.js'

/** `raw`: a block of Anthropic's own tools; `item`: other items of the Responses API. Only they understand it. */
export type ContentPart = ContentBlock | { readonly type: 'raw'; readonly block: Json } | { readonly type: 'item'; readonly item: Json }

export interface Spoken {
  readonly role: 'user' | 'assistant'
  readonly parts: readonly ContentPart[]
}

/** Text, or blocks if all of them are valid; any other JSON is shown as its text. */
export const readMessage = ({ role, content }: ChatMessage): Spoken => {
  const speaker = role === 'assistant' ? 'assistant' : 'user'
  if (typeof content === 'string') return { role: speaker, parts: [{ type: 'text', text: content }] }
  const parts = Array.isArray(content) ? content.map((item: Json) => readPart(speaker, item)) : [undefined]
  const known = parts.filter((part) => part !== undefined)
  return { role: speaker, parts: known.length === parts.length ? known : [{ type: 'text', text: JSON.stringify(content) }] }
}

const readPart = (role: 'user' | 'assistant', item: Json): ContentPart | undefined => {
  const type = textAt(item, 'type')
  const text = (key: string) => textAt(item, key)
  const isAssistant = role === 'assistant'
  if (type === 'text') {
    const [said, phase] = [text('text'), text('phase')]
    if (said === undefined) return undefined
    const isPhase = isAssistant && (phase === 'commentary' || phase === 'final_answer')
    return { type, text: said, ...(isPhase ? { phase } : {}) }
  }
  if (type === 'image' || type === 'document' || type === 'audio') return isAssistant ? undefined : readMedia(item)
  if (type === 'tool_result') {
    if (isAssistant) return undefined
    const content = (at(item, 'content') ?? '') as Json
    return ifWhole({ type, tool_use_id: text('tool_use_id'), content, is_error: at(item, 'is_error') === true })
  }
  if (!isAssistant || type === undefined) return undefined
  if (type === 'thinking') return ifWhole({ type, thinking: text('thinking'), signature: text('signature') })
  if (type === 'redacted_thinking') return ifWhole({ type, data: text('data') })
  if (type === 'tool_use') {
    const extra = at(item, 'extra_content') as Json | undefined
    const input = withWritten((at(item, 'input') ?? {}) as Json, text('json'))
    return ifWhole({ type, id: text('id'), name: text('name'), ...input, ...(extra === undefined ? {} : { extra_content: extra }) })
  }
  if (type === 'chat_fields') return isRecord(at(item, 'fields')) ? { type, fields: fieldsOf(at(item, 'fields')) } : undefined
  if (RESPONSE_ITEM.test(type)) return { type: 'item', item }
  return SERVER_BLOCK.test(type) ? { type: 'raw', block: item } : undefined
}

// Blocks that Anthropic's own tools leave in an answer (`request: { tools: … }`).
const SERVER_BLOCK = /^(server_tool_use|mcp_tool_use|container_upload|[a-z_]+_tool_result)$/

// Items of the Responses API about its reasoning, and its own tools.
const RESPONSE_ITEM = /^(reasoning|compaction|[a-z_]+_call|mcp_list_tools|mcp_approval_request)$/

type Whole<T> = { readonly [K in keyof T]: Exclude<T[K], undefined> }

const ifWhole = <T extends object>(block: T): Whole<T> | undefined =>
  Object.values(block).includes(undefined) ? undefined : (block as Whole<T>)

/** From the messages, too: names that are no longer offered may be in a memory. */
export const toolNamesOf = (messages: readonly ChatMessage[]): string[] =>
  messages.flatMap((message) => readMessage(message).parts.flatMap((part) => (part.type === 'tool_use' ? [part.name] : [])))

export const mediaOf = (messages: readonly ChatMessage[]): readonly MediaBlock[] =>
  messages.flatMap((message) => readMessage(message).parts.filter(isMedia))

/**
 * A call without its result in the next message, or a result without its call in the one before, which no API accepts. Undefined: there is
 * none. Consecutive messages of the user count as one.
 */
export const describeUnpaired = (messages: readonly ChatMessage[]): string | undefined => {
  let calls = new Map<string, number>()
  let results = new Map<string, number>()
  const unanswered = () => [...calls].find(([id]) => !results.has(id))
  for (const [place, message] of messages.entries()) {
    const { role, parts } = readMessage(message)
    if (role === 'assistant') {
      const left = unanswered()
      if (left) return withoutResult(left)
      calls = new Map(parts.flatMap((part) => (part.type === 'tool_use' ? [[part.id, place]] : [])))
      results = new Map()
    }
    for (const part of parts) {
      if (part.type !== 'tool_result') continue
      if (!calls.has(part.tool_use_id))
        return (
          `message ${place} has a tool_result for '${preview(part.tool_use_id)}', ` +
          'and what the assistant said before it has no such tool_use'
        )
      results.set(part.tool_use_id, place)
    }
  }
  const left = unanswered()
  return left && withoutResult(left)
}

const withoutResult = ([id, place]: readonly [string, number]): string =>
  `message ${place} has the tool_use '${preview(id)}', and no tool_result for it follows`
