// The messages of one input until its answer, and which of them are remembered.

import type { Json } from '@plumb/lang'
import { saysSomething } from '../provider/memory-messages.js'
import type { ChatMessage, ContentBlock } from '../provider/provider.js'

export type ToolUse = Extract<ContentBlock, { type: 'tool_use' }>
export type ToolResult = Extract<ContentBlock, { type: 'tool_result' }>

export class Turn {
  readonly #messages: ChatMessage[]
  /** Without rejected answers and the complaints about them. */
  readonly #kept: ChatMessage[]

  /** Text, or blocks if it contains media. */
  constructor(content: Json) {
    const user: ChatMessage = { role: 'user', content }
    this.#messages = [user]
    this.#kept = [user]
  }

  get messages(): readonly ChatMessage[] {
    return this.#messages
  }

  /** The calls of one answer, as the model wrote them, and their results. */
  addRound(content: readonly ContentBlock[], results: readonly ToolResult[]): void {
    const round: ChatMessage[] = [
      { role: 'assistant', content: [...content] },
      { role: 'user', content: [...results] },
    ]
    this.#messages.push(...round)
    this.#kept.push(...round)
  }

  /** A rejected answer, and what is wrong with it. */
  addComplaint(content: readonly ContentBlock[], complaint: string): void {
    // A call without its result could not be sent again, nor an empty message.
    const said = content.filter((block) => block.type !== 'tool_use')
    if (textOfBlocks(said).trim() !== '') this.#messages.push({ role: 'assistant', content: toMessageContent(said) })
    this.#messages.push({ role: 'user', content: complaint })
  }

  /** What this answer adds to the memory: no message without words, which servers refuse from then on. */
  accepted(content: readonly ContentBlock[]): readonly ChatMessage[] {
    return saysSomething(content) ? [...this.#kept, { role: 'assistant', content: toMessageContent(content) }] : this.#kept
  }
}

export const textOfBlocks = (content: readonly ContentBlock[]): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('')

export const toolUsesOf = (content: readonly ContentBlock[]): ToolUse[] => content.filter((block) => block.type === 'tool_use')

/** Plain text is remembered, and shown, as text. */
export const toMessageContent = (content: readonly ContentBlock[]): ChatMessage['content'] =>
  content.every(({ type }) => type === 'text') ? textOfBlocks(content) : [...content]
