// What a prompt file says, whichever way it is written: an agent to be, its conversation so far, and its tools.

import type { Json } from '@plumb/lang'
import { type Result, readSpec } from '@plumb/wire'
import { readChatmd } from './chatmd.js'
import { readMarkdown } from './markdown.js'
import type { PromptTool } from './prompt-tool.js'

export interface Prompt {
  /** The file; its paths are relative to it. */
  readonly path: string
  /** Keys of an agent, without prompt and tools. */
  readonly config: { readonly [key: string]: Json }
  readonly system: string
  /** What was said before, as memory has it. */
  readonly history: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[]
  readonly tools: readonly PromptTool[]
}

/** Undefined for a spec, which needs no reader of its own. */
export const readPrompt = (path: string): Result<Prompt> | undefined => {
  const read = READERS.find(({ ending }) => path.toLowerCase().endsWith(ending))?.read
  if (!read) return undefined
  const text = readSpec(path)
  return text.ok ? read(text.value, path) : text
}

const READERS: readonly { readonly ending: string; readonly read: (text: string, path: string) => Result<Prompt> }[] = [
  { ending: '.chatmd', read: readChatmd },
  { ending: '.md', read: readMarkdown },
]
