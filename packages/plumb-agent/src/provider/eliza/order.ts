// An order to call a tool, `call NAME {json}`: how dispatch is tried without a model. It is not part of the conversation of 1966.

import type { Json } from '@plumb/lang'
import { type CallInput, readCallInput } from '../call-input.js'
import type { ChatMessage, ContentBlock } from '../provider.js'

export interface Order extends CallInput {
  readonly name: string
}

/**
 * Undefined: it is a sentence like any other. What follows the name of a tool that is offered is its input, nothing is an empty object;
 * any other name needs an object after it, so that "call me" stays a sentence.
 */
export const readOrder = (text: string, offered: readonly string[]): Order | undefined => {
  const [, name = '', json = ''] = /^\s*call\s+([A-Za-z_](?:[\w.:-]*\w)?)\s*(.*)$/s.exec(text) ?? []
  const isOrder = offered.includes(name) || (offered.length > 0 && name !== '' && json.startsWith('{'))
  return isOrder ? { name, ...readCallInput(json) } : undefined
}

/** Messages that ELIZA does not read: orders, that is those answered by a tool call, and the results. */
export const isOrder = (messages: readonly ChatMessage[], place: number): boolean =>
  hasBlock(messages[place], 'tool_result') || hasBlock(messages[place + 1], 'tool_use')

/** The text of a tool's result. Undefined if the last message contains none. */
export const resultOf = (message: ChatMessage | undefined): string | undefined => {
  const results = blocksOf(message).filter((block) => block.type === 'tool_result')
  return results.length === 0 ? undefined : results.map(({ content }) => textOf(content)).join('\n')
}

const textOf = (content: Json): string => {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : JSON.stringify(content)
  return content.map((block: ContentBlock) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
}

const hasBlock = (message: ChatMessage | undefined, type: ContentBlock['type']): boolean =>
  blocksOf(message).some((block) => block.type === type)

// A memory that was set may contain anything.
const blocksOf = (message: ChatMessage | undefined): readonly ContentBlock[] =>
  Array.isArray(message?.content) ? message.content.filter((item) => typeof item === 'object' && item !== null && 'type' in item) : []
