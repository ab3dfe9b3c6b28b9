// The memory and the turn in the form of Chat Completions: results of tools are messages of their own, and contain only text.

import { createHash } from 'node:crypto'
import type {
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
  ChatCompletionMessageToolCall,
} from 'openai/resources/chat/completions/completions'
import { wellFormed } from '../../../io/written-json.js'
import { inputText } from '../../call-input.js'
import { asResultPart, captionOf, isMedia, type MediaBlock } from '../../media-block.js'
import { readMessages } from '../../memory-messages.js'
import type { ModelRequest } from '../../provider.js'
import type { ContentPart, Spoken } from '../../read-message.js'
import { audioText, linkText, type ResultPart, readResult, resourceText } from '../../result-parts.js'
import type { WireNames } from '../../wire-names.js'
import type { MessageFields } from './message-fields.js'

/** What a server takes in its messages. */
export interface MessageStyle {
  /** No system message behind others. */
  readonly isContextOfUser: boolean
  /** Nothing back of what it sends other than text and calls. */
  readonly hasNoFields: boolean
  /** `reasoning_content` with each call, even if there was none (DeepSeek, Moonshot). */
  readonly fillsReasoning: boolean
  /** A signature with the first call of each message, even if there was none (Gemini). */
  readonly fillsSignature: boolean
  /** Ids of calls that are nine letters and digits (Mistral). */
  readonly hasShortIds: boolean
}

/**
 * One system message, first, since some templates allow it only there. What changes with each request comes behind the newest message, so
 * that all before it is found in the cache.
 */
export const messagesOf = (
  { history, turn, context = '' }: ModelRequest,
  system: string,
  names: WireNames,
  style: MessageStyle,
): ChatCompletionMessageParam[] => {
  const messages = joinUsers(readMessages([...history, ...turn]).flatMap((message) => toParams(message, names, style)))
  const newest = { role: style.isContextOfUser ? ('user' as const) : ('system' as const), content: context }
  return [
    ...(system.trim() === '' ? [] : [{ role: 'system' as const, content: system }]),
    ...(context.trim() === '' ? messages : joinUsers([...messages, newest])),
  ]
}

// Many templates want turns that alternate; an answer without words is not among them.
const joinUsers = (messages: readonly ChatCompletionMessageParam[]): ChatCompletionMessageParam[] => {
  const joined: ChatCompletionMessageParam[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (last?.role === 'user' && message.role === 'user')
      joined[joined.length - 1] = { role: 'user', content: both(last.content, message.content) }
    else joined.push(message)
  }
  return joined
}

type UserContent = string | ChatCompletionContentPart[]

const both = (first: UserContent, second: UserContent): UserContent =>
  typeof first === 'string' && typeof second === 'string' ? `${first}\n\n${second}` : [...asParts(first), ...asParts(second)]

const asParts = (content: UserContent): readonly ChatCompletionContentPart[] => (typeof content === 'string' ? [toText(content)] : content)

const toParams = ({ role, parts }: Spoken, names: WireNames, style: MessageStyle): ChatCompletionMessageParam[] =>
  role === 'assistant' ? toAssistant(parts, names, style) : toUser(parts, style)

/** Thinking and blocks of other providers are left out. */
const toAssistant = (parts: readonly ContentPart[], names: WireNames, style: MessageStyle): ChatCompletionMessageParam[] => {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
  const calls = parts.filter((part) => part.type === 'tool_use')
  if (text === '' && calls.length === 0) return []
  const tool_calls = calls.map((part, i) => toCall(part, names, style, i === 0))
  const isFilled = style.fillsReasoning && calls.length > 0
  const { thinking, ...kept } = style.hasNoFields ? {} : fieldsIn(parts)
  const fields = { ...(isFilled ? { reasoning_content: '' } : {}), ...kept }
  // A part that the SDK's types do not know.
  const content = (thinking === undefined ? text : [thinking, ...(text === '' ? [] : [toText(text)])]) as string
  if (calls.length === 0) return [{ role: 'assistant', content, ...fields }]
  return [{ role: 'assistant', content: content === '' ? null : content, ...fields, tool_calls }]
}

const fieldsIn = (parts: readonly ContentPart[]): MessageFields =>
  Object.assign({}, ...parts.map((part) => (part.type === 'chat_fields' ? part.fields : {})))

const toCall = (
  part: Extract<ContentPart, { type: 'tool_use' }>,
  names: WireNames,
  { hasNoFields, hasShortIds, fillsSignature }: MessageStyle,
  isFirst: boolean,
): ChatCompletionMessageToolCall => {
  const extra_content = hasNoFields ? undefined : (part.extra_content ?? (fillsSignature && isFirst ? UNSIGNED : undefined))
  return {
    id: hasShortIds ? shortId(part.id) : part.id,
    type: 'function',
    function: { name: names.toWire(part.name), arguments: wellFormed(inputText(part)) },
    ...(extra_content === undefined ? {} : { extra_content }),
  }
}

/** Google's documented word for a call that no Gemini made. */
const UNSIGNED = { google: { thought_signature: 'skip_thought_signature_validator' } }

/** One of the server's own, or always the same for the same. */
const shortId = (id: string): string => (/^[A-Za-z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9))

const toUser = (parts: readonly ContentPart[], { hasShortIds }: MessageStyle): ChatCompletionMessageParam[] => {
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
      results.push({ role: 'tool', tool_call_id: hasShortIds ? shortId(part.tool_use_id) : part.tool_use_id, content })
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
