// The memory and the turn as Chat Completions has them: results of tools are messages of their own, and carry text only.

import type {
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
  ChatCompletionMessageToolCall,
} from 'openai/resources/chat/completions/completions'
import type { Message, Question } from '../provider.js'
import { type Part, readMessage, readResult } from '../read-message.js'
import type { WireNames } from '../wire-names.js'

/**
 * One system message, first: what is the same every time before what is not, so that the prompt is cached that far. Servers like OpenAI's
 * take `system`, and some of their templates know it in the first place only.
 */
export const messagesOf = ({ history, turn, context }: Question, system: string, names: WireNames): ChatCompletionMessageParam[] => {
  const content = [system, context ?? ''].filter((text) => text.trim() !== '').join('\n\n')
  return [
    ...(content === '' ? [] : [{ role: 'system' as const, content }]),
    ...[...history, ...turn].flatMap((message) => toParams(message, names)),
  ]
}

const toParams = (message: Message, names: WireNames): ChatCompletionMessageParam[] => {
  const { role, parts } = readMessage(message)
  return role === 'assistant' ? toAssistant(parts, names) : toUser(parts)
}

/** Thinking and what other providers left are of no use here. */
const toAssistant = (parts: readonly Part[], names: WireNames): ChatCompletionMessageParam[] => {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
  const tool_calls = parts.flatMap((part): ChatCompletionMessageToolCall[] =>
    part.type === 'tool_use'
      ? [{ id: part.id, type: 'function', function: { name: names.toWire(part.name), arguments: JSON.stringify(part.input) } }]
      : [],
  )
  if (tool_calls.length === 0) return [{ role: 'assistant', content: text }]
  return [{ role: 'assistant', content: text === '' ? null : text, tool_calls }]
}

const toUser = (parts: readonly Part[]): ChatCompletionMessageParam[] => {
  const results: ChatCompletionMessageParam[] = []
  const said: ChatCompletionContentPart[] = []
  for (const part of parts) {
    if (part.type === 'text') said.push({ type: 'text', text: part.text })
    else if (part.type === 'image') said.push(toImage(part))
    else if (part.type === 'tool_result') {
      const shown = readResult(part.content)
      const images = shown.filter((item) => item.type === 'image')
      const text = shown.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n')
      const content = images.length > 0 && text === '' ? 'The images follow.' : text
      results.push({ role: 'tool', tool_call_id: part.tool_use_id, content })
      if (images.length > 0) said.push({ type: 'text', text: `Images of the tool result ${part.tool_use_id}:` }, ...images.map(toImage))
    }
  }
  const [first] = said
  if (!first) return results
  const content = said.length === 1 && first.type === 'text' ? first.text : said
  return [...results, { role: 'user', content }]
}

const toImage = ({ media_type, data }: { media_type: string; data: string }): ChatCompletionContentPart => ({
  type: 'image_url',
  image_url: { url: `data:${media_type};base64,${data}` },
})
