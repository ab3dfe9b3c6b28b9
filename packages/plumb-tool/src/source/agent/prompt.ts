// What a prompt file says, whichever way it is written: an agent to be, its conversation so far, and its tools.

import type { Json } from '@plumb/lang'
import { type Result, readSpec } from '@plumb/wire'
import { readChatmd } from './chatmd.js'
import { readMarkdown } from './markdown.js'
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

/** Undefined for a spec, which needs no reader of its own. */
export const readPromptFile = (path: string): Result<PromptFile> | undefined => {
  const read = READERS.find(({ ending }) => path.toLowerCase().endsWith(ending))?.read
  if (!read) return undefined
  const text = readSpec(path)
  return text.ok ? read(text.value, path) : text
}

const READERS: readonly { readonly ending: string; readonly read: (text: string, path: string) => Result<PromptFile> }[] = [
  { ending: '.chatmd', read: readChatmd },
  { ending: '.md', read: readMarkdown },
]
