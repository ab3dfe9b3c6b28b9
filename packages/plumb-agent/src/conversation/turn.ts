// One input on its way to its answer: all that was said for it, and what of that will be remembered.

import type { Block, Message } from '../provider/provider.js'

export type ToolUse = Extract<Block, { type: 'tool_use' }>
export type ToolResult = Extract<Block, { type: 'tool_result' }>

export class Turn {
  readonly #messages: Message[]
  /** Without the answers that did not fit and what was said about them. */
  readonly #kept: Message[]

  constructor(input: string) {
    const user: Message = { role: 'user', content: input }
    this.#messages = [user]
    this.#kept = [user]
  }

  get messages(): readonly Message[] {
    return this.#messages
  }

  /** The calls of one answer, whole and as the model said it, and their results. */
  addRound(content: readonly Block[], results: readonly ToolResult[]): void {
    const round: Message[] = [
      { role: 'assistant', content: [...content] },
      { role: 'user', content: [...results] },
    ]
    this.#messages.push(...round)
    this.#kept.push(...round)
  }

  /** An answer that is not accepted, and what is wrong with it. */
  addComplaint(content: readonly Block[], complaint: string): void {
    // A call without its result could not be sent again; what is empty neither.
    const said = content.filter((block) => block.type !== 'tool_use')
    if (textOf(said).trim() !== '') this.#messages.push({ role: 'assistant', content: toContent(said) })
    this.#messages.push({ role: 'user', content: complaint })
  }

  /** What the memory gains by this answer. */
  accepted(content: readonly Block[]): readonly Message[] {
    return [...this.#kept, { role: 'assistant', content: toContent(content) }]
  }
}

export const textOf = (content: readonly Block[]): string => content.map((block) => (block.type === 'text' ? block.text : '')).join('')

export const toolUsesOf = (content: readonly Block[]): ToolUse[] => content.filter((block) => block.type === 'tool_use')

/** Plain text is remembered, and shown, as text. */
export const toContent = (content: readonly Block[]): Message['content'] =>
  content.every(({ type }) => type === 'text') ? textOf(content) : [...content]
