// What a prompt file declares, in either syntax: an agent's configuration, its conversation so far, and its tools.

import type { Json } from '@plumb/lang'
import type { PromptTool } from './prompt-tool.js'

export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string | readonly PromptMessagePart[]
}

export type PromptMessagePart =
  | { readonly type: 'text'; readonly text: string }
  /** A file, relative to the prompt; the agent reads it. */
  | { readonly type: 'image'; readonly path: string }

/** In words, for what shows no images. */
export const messageText = ({ content }: PromptMessage): string =>
  typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : `[image ${part.path}]`)).join('')

export interface PromptFile {
  /** The file; its paths are relative to it. */
  readonly path: string
  /** Keys of an agent, without prompt and tools. */
  readonly config: { readonly [key: string]: Json }
  readonly system: string
  /** What was said before, as the key `history` of an agent has it. */
  readonly history: readonly PromptMessage[]
  readonly tools: readonly PromptTool[]
}
