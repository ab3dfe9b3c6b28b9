// Reads a prompt file by the ending of its name: .chatmd or .md.

import { type Result, readSpec } from '@plumb/wire'
import { readChatmd } from './chatmd.js'
import { readMarkdown } from './markdown.js'
import type { PromptFile } from './prompt.js'

/** Undefined if the name has another ending: a spec is read by the compiler. */
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
