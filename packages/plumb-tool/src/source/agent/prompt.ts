// What a prompt file declares, in either syntax: an agent's configuration, its conversation so far, and its tools.

import type { Json, Span } from '@plumb/lang'
import type { PromptTool } from './prompt-tool.js'

export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string | readonly PromptMessagePart[]
}

export type PromptMessagePart =
  | { readonly type: 'text'; readonly text: string }
  /** A file relative to the prompt, which the agent reads. */
  | { readonly type: 'image'; readonly path: string }

/** The message as text, with `[image PATH]` for images. */
export const messageText = ({ content }: PromptMessage): string =>
  typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : `[image ${part.path}]`)).join('')

export interface PromptFile {
  /** The file itself. Paths in it are relative to its directory. */
  readonly path: string
  /** Keys of the agent, except `prompt` and `tools`. */
  readonly config: { readonly [key: string]: Json }
  readonly system: string
  /** Earlier messages, as in the key `history` of an agent. */
  readonly history: readonly PromptMessage[]
  readonly tools: readonly PlacedTool[]
  /** The whole file. */
  readonly place: Span
  /** What its keys are from, if not from all of it. */
  readonly configPlace?: Span
}

export type PlacedTool = PromptTool & { readonly place?: Span }
