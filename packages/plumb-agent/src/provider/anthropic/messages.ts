// The memory and the turn in the form of the Messages API, with cache marks.

import type {
  ContentBlockParam,
  DocumentBlockParam,
  ImageBlockParam,
  MessageParam,
  TextBlockParam,
  ToolResultBlockParam,
  ToolUseBlockParam,
} from '@anthropic-ai/sdk/resources/messages/messages'
import { headOf } from '@plumb/tool/call/cut-text'
import { WrittenJson } from '../../io/written-json.js'
import type { CallInput } from '../call-input.js'
import { asResultPart, captionOf, type MediaBlock } from '../media-block.js'
import { readMessages } from '../memory-messages.js'
import type { ModelRequest } from '../provider.js'
import type { ContentPart, Spoken } from '../read-message.js'
import { audioText, linkText, type ResultPart, readResult, resourceText } from '../result-parts.js'
import type { WireNames } from '../wire-names.js'

const CACHED = { cache_control: { type: 'ephemeral' } } as const

/**
 * The API combines consecutive messages of one role, so an empty one may be left out. What changes with each request comes behind the newest
 * message, so that all before it is found in the cache.
 */
export const messagesOf = ({ history, turn, tools, context }: ModelRequest, names: WireNames): MessageParam[] => {
  const past = readMessages(history).flatMap((message) => toParams(message, names))
  const present = readMessages(turn).flatMap((message) => toParams(message, names))
  // Without tools, the first request of a turn is likely the last with this prompt.
  const isGrowing = turn.length > 1 || tools.length > 0
  return withContext([...marked(past), ...(isGrowing ? marked(present) : present)], context)
}

// Behind the mark. An answer that was interrupted goes on behind the message that it had before it.
const withContext = (messages: readonly MessageParam[], context = ''): MessageParam[] => {
  if (context.trim() === '') return [...messages]
  const at = messages.findLastIndex(({ role }) => role === 'user')
  return messages.map((message, i) =>
    i === at && typeof message.content !== 'string'
      ? ({ ...message, content: [...message.content, { type: 'text', text: context }] } as MessageParam)
      : message,
  )
}

const toParams = ({ role, parts }: Spoken, names: WireNames): MessageParam[] => {
  const content = parts.flatMap((part) => toBlock(part, role, names))
  return content.length === 0 ? [] : [{ role, content }]
}

const toBlock = (part: ContentPart, role: 'user' | 'assistant', names: WireNames): ContentBlockParam[] => {
  switch (part.type) {
    case 'text':
      return toText(part.text, role)
    case 'image':
    case 'document':
    case 'audio':
      return [...toText(captionOf(part) ?? '', 'assistant'), ...toMedia(part)]
    case 'thinking':
      // Without its signature it would be refused.
      return part.signature === '' ? [] : [{ type: 'thinking', thinking: part.thinking, signature: part.signature }]
    case 'redacted_thinking':
      return [{ type: 'redacted_thinking', data: part.data }]
    case 'tool_use':
      return [{ type: 'tool_use', id: part.id, name: names.toWire(part.name), input: toInput(part) }]
    case 'tool_result': {
      const content = readResult(part.content).flatMap(toShown)
      return [{ type: 'tool_result', tool_use_id: part.tool_use_id, content, ...(part.is_error ? { is_error: true } : {}) }]
    }
    case 'item':
    case 'chat_fields':
      // Another provider's.
      return []
    case 'raw':
      // Unchanged: only the API understands it.
      return [part.block as unknown as ContentBlockParam]
  }
}

const toInput = ({ input, json }: CallInput): unknown => (json === undefined ? input : new WrittenJson(json))

/** Blank text is refused: a blank input is sent in quotes, and a blank answer is left out. */
const toText = (text: string, role: 'user' | 'assistant'): TextBlockParam[] => {
  if (text.trim() !== '') return [{ type: 'text', text }]
  return role === 'assistant' ? [] : [{ type: 'text', text: JSON.stringify(text) }]
}

/** Why the API does not accept it. Undefined: it does. */
export const refusesMedia = ({ type }: MediaBlock): string | undefined =>
  type === 'audio' ? 'Anthropic takes no audio: take another provider, or give the model its words' : undefined

const toMedia = (block: MediaBlock): Shown[] => {
  const part = asResultPart(block)
  if (part) return toShown(part)
  if (!('url' in block)) return []
  const { type, url, title } = block
  if (type === 'image') return [{ type, source: { type: 'url', url } }]
  if (type === 'audio') return toText(linkText({ uri: url, words: ', audio' }), 'user')
  return [{ type, source: { type: 'url', url }, ...(title === undefined ? {} : { title: headOf(title, MAX_TITLE) }) }]
}

type Shown = TextBlockParam | ImageBlockParam | DocumentBlockParam

const toShown = (item: ResultPart): Shown[] => {
  switch (item.type) {
    case 'text':
      return toText(item.text, 'user')
    case 'image':
      return IMAGES.includes(item.media_type) ? [toImage(item)] : toText(`[image, ${item.media_type}: this API takes no such]`, 'user')
    case 'audio':
      return toText(audioText(item), 'user')
    case 'resource_link':
      return toText(linkText(item), 'user')
    case 'resource':
      return toDocument(item)
  }
}

const IMAGES: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

const toDocument = (item: Extract<ResultPart, { type: 'resource' }>): Shown[] => {
  const { uri, media_type, text, data } = item
  if (text !== undefined && text.trim() !== '') {
    return [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: text }, title: headOf(uri, MAX_TITLE) }]
  }
  if (data !== undefined && media_type === 'application/pdf') {
    return [{ type: 'document', source: { type: 'base64', media_type, data }, title: headOf(uri, MAX_TITLE) }]
  }
  return data !== undefined && IMAGES.includes(media_type) ? [toImage({ media_type, data })] : toText(resourceText(item), 'user')
}

/** In UTF-16 units. */
const MAX_TITLE = 500

const toImage = ({ media_type, data }: { media_type: string; data: string }): ImageBlockParam => ({
  type: 'image',
  source: { type: 'base64', media_type: media_type as 'image/png', data },
})

/** A mark on the last block that may have one: the prompt up to there is cached. */
const marked = (messages: readonly MessageParam[]): MessageParam[] => {
  const at = messages.findLastIndex(({ content }) => typeof content !== 'string' && content.some(isCacheable))
  return messages.map((message, index) => {
    if (index !== at || typeof message.content === 'string') return message
    const last = message.content.findLastIndex(isCacheable)
    const content = message.content.map((block, i) => (i === last && isCacheable(block) ? { ...block, ...CACHED } : block))
    return { ...message, content } as MessageParam
  })
}

type Cacheable = TextBlockParam | ImageBlockParam | DocumentBlockParam | ToolUseBlockParam | ToolResultBlockParam

const isCacheable = (block: ContentBlockParam): block is Cacheable => CACHEABLE.includes(block.type)

const CACHEABLE: readonly string[] = ['text', 'image', 'document', 'tool_use', 'tool_result'] satisfies Cacheable['type'][]
