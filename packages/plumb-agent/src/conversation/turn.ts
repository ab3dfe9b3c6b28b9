// The messages of one input until its answer, and which of them are remembered.

import { type Json, namesWithin, printType, resolve, type Type, toSchema } from '@plumb/lang'
import type { Walk } from '@plumb/tool/protocol/walk'
import { type Fault, preview } from '@plumb/wire'
import { wrapperOf } from '../answer/wrapped.js'
import { saysSomething } from '../provider/memory-messages.js'
import type { ChatMessage, ContentBlock, ModelAnswer, ToolResult, ToolUse } from '../provider/provider.js'
import type { Memory } from './memories.js'

export class Turn {
  readonly #messages: ChatMessage[]
  /** Without rejected answers and the complaints about them. */
  readonly #kept: ChatMessage[]

  /** Text, or blocks if it contains media. */
  constructor(
    content: Json,
    readonly memory: Memory,
    /** Of its calls, under a protocol. */
    readonly walk?: Walk | undefined,
  ) {
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

/** `text`: the answer. */
export const complaint = ({ stop, isWrapped }: ModelAnswer, text: string, { detail }: Fault, output: Type): string => {
  const isCut = stop === 'tokens'
  const problem = `Your last answer was ${isCut ? 'too long, and was cut' : `not accepted: ${detail}`}.`
  if (resolve(output).kind === 'string') return `${problem}\nAnswer again, ${isCut ? 'shorter' : 'whole'}.`
  const type = isWrapped ? wrapperOf(output) : output
  // Includes the type even if the answer was only too long: a model of 135 million parameters never ends its lists without it.
  const again = `Answer again${isCut ? ', shorter,' : ''} with nothing but one JSON value of the type ${writtenOut(type)}.`
  return [problem, again, ...(isOnlyCut(stop, text, output) ? [] : [`Its JSON Schema: ${JSON.stringify(toSchema(type))}`])].join('\n')
}

/** Of an answer that the server could not read, such as a call in no form of its own. */
export const unreadableComplaint = ({ detail }: Fault): string =>
  `Your last answer could not be read: ${preview(detail.replace(/\.$/, ''), 300)}.\nAnswer again; to call a tool, use the form for it, with arguments that are JSON.`

/** Of an answer before the end of its protocol. */
export const unfinishedComplaint = ({ detail }: Fault): string =>
  `Your last answer was not accepted: ${detail}.\nCall what is missing first, and then answer again.`

/** The answer may be the beginning of a value: nothing shows that the model, or its server, does not know the type. */
export const isOnlyCut = (stop: ModelAnswer['stop'], text: string, output: Type): boolean =>
  stop === 'tokens' && (resolve(output).kind === 'string' || /^\s*(?:[[{]|$)/.test(text))

// A name means nothing to a model that has not read the spec.
const writtenOut = (type: Type): string => {
  const whole = resolve(type)
  const names = namesWithin([whole]).map(({ name, target }) => `${name} = ${printType(target)}`)
  return preview([printType(whole), ...(names.length > 0 ? [`where ${names.join(', ')}`] : [])].join(', '), MAX_TYPE)
}

/** Maximum characters of a type in the prompt. */
const MAX_TYPE = 1000
