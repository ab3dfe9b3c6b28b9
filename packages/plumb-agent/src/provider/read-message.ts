// A message of the memory as parts that a provider can say: whatever it holds, something can be shown of it.

import type { Json } from '@plumb/lang'
import { at, textAt } from './http/json-path.js'
import type { Block, Message } from './provider.js'

/** `raw`: a block of a provider's own tools, which only that provider understands. */
export type Part = Block | { readonly type: 'raw'; readonly block: Json }

export interface Spoken {
  readonly role: 'user' | 'assistant'
  readonly parts: readonly Part[]
}

/** Text, or blocks where every one of them is one; any other JSON is shown as its text. */
export const readMessage = ({ role, content }: Message): Spoken => {
  const speaker = role === 'assistant' ? 'assistant' : 'user'
  if (typeof content === 'string') return { role: speaker, parts: [{ type: 'text', text: content }] }
  const parts = Array.isArray(content) ? content.map((item: Json) => readPart(speaker, item)) : [undefined]
  const known = parts.filter((part) => part !== undefined)
  return { role: speaker, parts: known.length === parts.length ? known : [{ type: 'text', text: JSON.stringify(content) }] }
}

const readPart = (role: 'user' | 'assistant', item: Json): Part | undefined => {
  const type = textAt(item, 'type')
  const text = (key: string) => textAt(item, key)
  const isAssistant = role === 'assistant'
  if (type === 'text') return ifWhole({ type, text: text('text') })
  if (type === 'image') return isAssistant ? undefined : ifWhole({ type, media_type: text('media_type'), data: text('data') })
  if (type === 'tool_result') {
    if (isAssistant) return undefined
    const content = (at(item, 'content') ?? '') as Json
    return ifWhole({ type, tool_use_id: text('tool_use_id'), content, is_error: at(item, 'is_error') === true })
  }
  if (!isAssistant || type === undefined) return undefined
  if (type === 'thinking') return ifWhole({ type, thinking: text('thinking'), signature: text('signature') })
  if (type === 'redacted_thinking') return ifWhole({ type, data: text('data') })
  if (type === 'tool_use') return ifWhole({ type, id: text('id'), name: text('name'), input: (at(item, 'input') ?? {}) as Json })
  return SERVER_BLOCK.test(type) ? { type: 'raw', block: item } : undefined
}

// What Anthropic's own tools leave in an answer (`request: { tools: … }`).
const SERVER_BLOCK = /^(server_tool_use|mcp_tool_use|container_upload|[a-z_]+_tool_result)$/

type Whole<T> = { readonly [K in keyof T]: Exclude<T[K], undefined> }

const ifWhole = <T extends object>(block: T): Whole<T> | undefined =>
  Object.values(block).includes(undefined) ? undefined : (block as Whole<T>)

/** Of the messages, too: names that are no longer offered may stand in a memory. */
export const toolNamesOf = (messages: readonly Message[]): string[] =>
  messages.flatMap((message) => readMessage(message).parts.flatMap((part) => (part.type === 'tool_use' ? [part.name] : [])))
