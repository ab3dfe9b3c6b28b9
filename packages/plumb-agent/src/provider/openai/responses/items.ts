// The memory and the turn in the form of the Responses API: a list of items. Results of tools are items of their own, and may contain
// images and files.

import type {
  ResponseFunctionCallOutputItemList,
  ResponseInputContent,
  ResponseInputFile,
  ResponseInputImage,
  ResponseInputItem,
} from 'openai/resources/responses/responses'
import { wellFormed } from '../../../io/written-json.js'
import { inputText } from '../../call-input.js'
import { asResultPart, captionOf, isMedia, type MediaBlock } from '../../media-block.js'
import { readMessages } from '../../memory-messages.js'
import type { ModelRequest } from '../../provider.js'
import type { ContentPart, Spoken } from '../../read-message.js'
import { audioText, linkText, type ResultPart, readResult, resourceText } from '../../result-parts.js'
import type { WireNames } from '../../wire-names.js'

/** What changes with each request comes behind the newest message, so that all before it is found in the cache. */
export const itemsOf = ({ history, turn, context = '' }: ModelRequest, names: WireNames): ResponseInputItem[] => [
  ...readMessages([...history, ...turn]).flatMap((message) => toItems(message, names)),
  ...(context.trim() === '' ? [] : [{ type: 'message' as const, role: 'system' as const, content: context }]),
]

const toItems = ({ role, parts }: Spoken, names: WireNames): ResponseInputItem[] =>
  role === 'assistant' ? withoutLoneReasoning(parts.flatMap((part) => toAssistant(part, names))) : toUser(parts)

// The API refuses reasoning that nothing of the model follows.
const withoutLoneReasoning = (items: readonly ResponseInputItem[]): ResponseInputItem[] =>
  items.slice(0, items.findLastIndex(({ type }) => type !== 'reasoning') + 1)

/** In the order of the model: its reasoning before the results of it. */
const toAssistant = (part: ContentPart, names: WireNames): ResponseInputItem[] => {
  switch (part.type) {
    case 'text':
      if (part.text === '') return []
      return [{ type: 'message', role: 'assistant', content: part.text, ...(part.phase ? { phase: part.phase } : {}) }]
    case 'tool_use':
      return [{ type: 'function_call', call_id: part.id, name: names.toWire(part.name), arguments: wellFormed(inputText(part)) }]
    case 'item':
      // Unchanged: only the API understands it.
      return [part.item as unknown as ResponseInputItem]
    default:
      // Blocks of other providers are left out.
      return []
  }
}

const toUser = (parts: readonly ContentPart[]): ResponseInputItem[] => {
  const results: ResponseInputItem[] = []
  const said: ResponseInputContent[] = []
  for (const part of parts) {
    if (part.type === 'text') said.push({ type: 'input_text', text: part.text })
    else if (isMedia(part)) said.push(...toMedia(part))
    else if (part.type === 'tool_result') {
      results.push({ type: 'function_call_output', call_id: part.tool_use_id, output: toOutput(readResult(part.content)) })
    }
  }
  const [first] = said
  if (!first) return results
  const content = said.length === 1 && first.type === 'input_text' ? first.text : said
  return [...results, { type: 'message', role: 'user', content }]
}

/** Why the API does not accept it. Undefined: it does. */
export const refusesMedia = ({ type }: MediaBlock): string | undefined =>
  type === 'audio' ? 'the Responses API takes no audio: write wire: "chat", with a model that takes audio' : undefined

const toMedia = (block: MediaBlock): ResponseInputContent[] => {
  const caption = captionOf(block)
  return [...(caption === undefined ? [] : [toText(caption)]), ...toShown(block)]
}

const toShown = (block: MediaBlock): ResponseInputContent[] => {
  const part = asResultPart(block)
  if (part) return [toContent(part) as ResponseInputContent]
  if (!('url' in block)) return []
  const { type, url } = block
  if (type === 'image') return [{ type: 'input_image', detail: 'auto', image_url: url }]
  return [type === 'document' ? { type: 'input_file', file_url: url } : toText(linkText({ uri: url, words: ', audio' }))]
}

const toText = (text: string): ResponseInputContent => ({ type: 'input_text', text })

const toOutput = (shown: readonly ResultPart[]): string | ResponseFunctionCallOutputItemList => {
  const content = shown.map(toContent)
  return content.every((item) => item.type === 'input_text') ? content.map(({ text }) => text).join('\n') : content
}

const toContent = (item: ResultPart): ResponseFunctionCallOutputItemList[number] => {
  switch (item.type) {
    case 'text':
      return { type: 'input_text', text: item.text }
    case 'image':
      return toImage(item)
    case 'audio':
      return { type: 'input_text', text: audioText(item) }
    case 'resource_link':
      return { type: 'input_text', text: linkText(item) }
    case 'resource':
      return toFile(item) ?? { type: 'input_text', text: resourceText(item) }
  }
}

const toFile = ({ uri, media_type, data }: ResultPart & { type: 'resource' }): ResponseInputImage | ResponseInputFile | undefined => {
  if (data === undefined) return undefined
  if (media_type.startsWith('image/')) return toImage({ media_type, data })
  if (media_type !== 'application/pdf') return undefined
  return { type: 'input_file', filename: uri.split('/').at(-1) || 'resource.pdf', file_data: `data:${media_type};base64,${data}` }
}

const toImage = ({ media_type, data }: { media_type: string; data: string }): ResponseInputImage => ({
  type: 'input_image',
  detail: 'auto',
  image_url: `data:${media_type};base64,${data}`,
})
