// The memory and the turn in the form of Chat Completions: results of tools are messages of their own, and contain only text.

import type {
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
  ChatCompletionMessageToolCall,
} from 'openai/resources/chat/completions/completions'
import { inputText } from '../../call-input.js'
import { asResultPart, captionOf, isMedia, type MediaBlock } from '../../media-block.js'
import type { ChatMessage, ModelRequest } from '../../provider.js'
import { type ContentPart, readMessage } from '../../read-message.js'
import { audioText, linkText, type ResultPart, readResult, resourceText } from '../../result-parts.js'
import type { WireNames } from '../../wire-names.js'

/**
 * One system message, first: its constant part comes first, so that it is cached. Compatible servers take `system`, and some of their
 * templates allow it only in the first place.
 */
export const messagesOf = ({ history, turn, context }: ModelRequest, system: string, names: WireNames): ChatCompletionMessageParam[] => {
  const content = [system, context ?? ''].filter((text) => text.trim() !== '').join('\n\n')
  return [
    ...(content === '' ? [] : [{ role: 'system' as const, content }]),
    ...[...history, ...turn].flatMap((message) => toParams(message, names)),
  ]
}

const toParams = (message: ChatMessage, names: WireNames): ChatCompletionMessageParam[] => {
  const { role, parts } = readMessage(message)
  return role === 'assistant' ? toAssistant(parts, names) : toUser(parts)
}

/** Thinking and blocks of other providers are left out. */
const toAssistant = (parts: readonly ContentPart[], names: WireNames): ChatCompletionMessageParam[] => {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
  const tool_calls = parts.flatMap((part): ChatCompletionMessageToolCall[] =>
    part.type === 'tool_use'
      ? [{ id: part.id, type: 'function', function: { name: names.toWire(part.name), arguments: inputText(part) } }]
      : [],
  )
  if (tool_calls.length === 0) return [{ role: 'assistant', content: text }]
  return [{ role: 'assistant', content: text === '' ? null : text, tool_calls }]
}

const toUser = (parts: readonly ContentPart[]): ChatCompletionMessageParam[] => {
  const results: ChatCompletionMessageParam[] = []
  const said: ChatCompletionContentPart[] = []
  for (const part of parts) {
    if (part.type === 'text') said.push({ type: 'text', text: part.text })
    else if (isMedia(part)) said.push(...toMedia(part))
    else if (part.type === 'tool_result') {
      const shown = readResult(part.content)
      const apart = shown.flatMap(toApart)
      const text = shown.flatMap((item) => (toApart(item).length === 0 ? [textOfPart(item)] : [])).join('\n')
      const content = apart.length > 0 && text === '' ? `The ${nameOf(apart)} follow.` : text
      results.push({ role: 'tool', tool_call_id: part.tool_use_id, content })
      if (apart.length > 0) {
        said.push({ type: 'text', text: `${capital(nameOf(apart))} of the tool result ${part.tool_use_id}:` }, ...apart)
      }
    }
  }
  const [first] = said
  if (!first) return results
  const content = said.length === 1 && first.type === 'text' ? first.text : said
  return [...results, { role: 'user', content }]
}

/** Why the API does not accept it. Undefined: it does. */
export const refusesMedia = (block: MediaBlock): string | undefined =>
  block.type !== 'image' && 'url' in block
    ? `Chat Completions takes no ${block.type} by its address: give its path or its data, or write wire: "responses"`
    : undefined

const toMedia = (block: MediaBlock): ChatCompletionContentPart[] => {
  const caption = captionOf(block)
  return [...(caption === undefined ? [] : [toText(caption)]), ...toShown(block)]
}

const toShown = (block: MediaBlock): ChatCompletionContentPart[] => {
  const part = asResultPart(block)
  if (part) {
    const apart = toApart(part)
    return apart.length > 0 ? apart : [toText(textOfPart(part))]
  }
  if (!('url' in block)) return []
  const { type, url } = block
  return [type === 'image' ? { type: 'image_url', image_url: { url } } : toText(linkText({ uri: url, words: `, ${type}` }))]
}

const toText = (text: string): ChatCompletionContentPart => ({ type: 'text', text })

/** Content that a tool's message cannot have, but a user's can. */
const toApart = (item: ResultPart): ChatCompletionContentPart[] => {
  if (item.type === 'image') return [toImage(item)]
  const format = item.type === 'audio' ? AUDIO[item.media_type] : undefined
  if (item.type === 'audio' && format) return [{ type: 'input_audio', input_audio: { data: item.data, format } }]
  if (item.type !== 'resource' || item.data === undefined) return []
  const { media_type, data, uri } = item
  if (media_type.startsWith('image/')) return [toImage({ media_type, data })]
  if (media_type !== 'application/pdf') return []
  return [{ type: 'file', file: { filename: uri.split('/').at(-1) || 'resource.pdf', file_data: `data:${media_type};base64,${data}` } }]
}

const AUDIO: Readonly<Record<string, 'wav' | 'mp3'>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
}

const textOfPart = (item: ResultPart): string => {
  switch (item.type) {
    case 'text':
      return item.text
    case 'resource':
      return resourceText(item)
    case 'resource_link':
      return linkText(item)
    default:
      return audioText(item)
  }
}

const nameOf = (parts: readonly ChatCompletionContentPart[]): string =>
  parts.every(({ type }) => type === 'image_url') ? 'images' : 'contents'

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

const toImage = ({ media_type, data }: { media_type: string; data: string }): ChatCompletionContentPart => ({
  type: 'image_url',
  image_url: { url: `data:${media_type};base64,${data}` },
})
