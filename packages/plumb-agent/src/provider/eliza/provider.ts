// ELIZA as a provider: the whole agent protocol without a network, a key or chance.

import { type Json, resolve, type Type } from '@plumb/lang'
import { fail, type Result, succeed } from '@plumb/wire'
import { validate } from '../../answer/validate.js'
import { describeMedia, isMedia } from '../media-block.js'
import type { ChatMessage, ContentBlock, ModelAnswer, ModelRequest, Provider } from '../provider.js'
import { type ContentPart, mediaOf, readMessage } from '../read-message.js'
import { fit } from './fit.js'
import { isOrder, readOrder, resultOf } from './order.js'
import type { ElizaScript } from './rule.js'
import { ElizaSession } from './session.js'

type Said = Pick<ModelAnswer, 'content' | 'stop'>

/**
 * A session is a pure function of the script and of the user's messages, so the memory needs no other state: if the history differs from
 * that of this session (a memory was set, an answer was cancelled, a tool was called, `amnesiac`), a fresh session replays it. That costs
 * some microseconds a message, once.
 */
export const openEliza = (script: ElizaScript): Provider => {
  let session = new ElizaSession(script)
  let lived: readonly ChatMessage[] = []
  let livedLength = 0
  let tokens = 0
  let calls = 0

  const follow = ({ history, input }: ModelRequest): void => {
    if (history === lived && history.length === livedLength) return
    session = new ElizaSession(script)
    tokens = 0
    for (const [place, { role, content }] of history.entries()) {
      if (role === 'user' && !isOrder(history, place)) session.reply(sentenceOf(content, input))
      tokens += countTokens(content)
    }
  }

  const say = (question: ModelRequest): Result<Said> => {
    const { turn, input, output, tools } = question
    const result = resultOf(turn.at(-1))
    if (result !== undefined) return pass(result, output)
    const sentence = sentenceOf(turn.findLast(({ role }) => role === 'user')?.content ?? '', input)
    const order = readOrder(
      sentence,
      tools.map(({ name }) => name),
    )
    if (order) return succeed({ content: [{ type: 'tool_use', id: `call_${++calls}`, ...order }], stop: 'tool_use' })
    const named = mediaOf(turn).map((block) => ` [${describeMedia(block)}]`)
    return speak(`${session.reply(sentence)}${named.join('')}`, output)
  }

  return {
    answer: async (question) => {
      const { history, turn } = question
      follow(question)
      const said = say(question)
      if (!said.ok) return said
      lived = history
      // Unless this answer is dropped, or a tool called, the history grows by it and its question.
      livedLength = history.length + 2
      const { content } = said.value
      const input_tokens = tokens + turn.reduce((sum, message) => sum + countTokens(message.content), 0)
      const output_tokens = countTokens(content)
      tokens = input_tokens + output_tokens
      return succeed({ ...said.value, usage: { input_tokens, output_tokens, cache_read_tokens: 0, cache_creation_tokens: 0 } })
    },
  }
}

const speak = (sentence: string, output: Type): Result<Said> => {
  if (resolve(output).kind === 'string') return succeed(ended(sentence))
  const value = fit(output, sentence)
  if (value === undefined) return fail('output_type_mismatch', 'no value of the output type ends, so there is no answer')
  return succeed(ended(JSON.stringify(value)))
}

// The result of a tool may be the answer itself.
const pass = (result: string, output: Type): Result<Said> => {
  const valid = resolve(output).kind === 'string' ? undefined : validate(result, output)
  return valid?.ok ? succeed(ended(valid.value)) : speak(result, output)
}

const ended = (text: string): Said => ({ content: [{ type: 'text', text }], stop: 'end' })

const sentenceOf = (content: Json, input: Type): string => textOfContent(content, resolve(input).kind === 'string')

// Four tokens for three words, as English text has about.
const countTokens = (content: Json | readonly ContentBlock[]): number => {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return Math.max(1, Math.ceil(((text.match(/\S+/g)?.length ?? 0) * 4) / 3))
}

/**
 * A message of a `string` input is one sentence. For any other input the memory holds the JSON text; its strings are read one after the
 * other, each as a sentence of its own. Names of fields are ignored; a value without strings is read as its JSON.
 */
const textOfContent = (content: Json, isPlainText: boolean): string => {
  if (typeof content === 'string') return isPlainText ? content : textOfString(content)
  const { parts } = readMessage({ role: 'user', content })
  if (parts.some(isMedia)) return textOfBlocks(parts, isPlainText)
  return strings(content).join('. ') || JSON.stringify(content)
}

/** Media inside a value are ignored; a message of media alone is read as their kinds. */
const textOfBlocks = (parts: readonly ContentPart[], isPlainText: boolean): string => {
  const said = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  if (said.trim() === '') return parts.map(({ type }) => type).join(' ')
  if (isPlainText) return said
  const value = parts.map((part) => (part.type === 'text' ? part.text : 'null')).join('')
  return textOfJson(value) ?? textOfString(said)
}

// A memory that was set by hand may contain plain text instead of JSON.
const textOfString = (text: string): string => textOfJson(text) ?? text

/** Undefined: not JSON. */
const textOfJson = (text: string): string | undefined => {
  try {
    return strings(JSON.parse(text)).join('. ') || text
  } catch {
    return undefined
  }
}

const strings = (value: Json): string[] => {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(strings)
}
