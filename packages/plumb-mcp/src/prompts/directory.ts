// The current prompts of a directory: a broken one is reported, and the others stay.

import { type Dirent, readdirSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { type Fault, fault, preview } from '@plumb/wire'
import { ENDINGS, openPrompt, type Prompt, type PromptOptions } from './prompt.js'
import { watchDirectory } from './watch-directory.js'

export interface PromptDirectory {
  /** By name, sorted. */
  readonly prompts: ReadonlyMap<string, Prompt>
  close(): void
}

export interface DirectoryOptions extends PromptOptions {
  readonly warn: (warning: Fault) => void
  /** Called when some were added, removed or changed. */
  readonly changed: () => void
}

const MAX_FILES = 1000

/** `path` is absolute. */
export const openPromptDirectory = (path: string, options: DirectoryOptions): PromptDirectory => {
  const directory = { prompts: new Map<string, Prompt>(), close: () => stop() }
  let files = new Map<string, Known>()
  const scan = (): boolean => {
    const before = files
    files = new Map(filesIn(path).map((file) => [file, known(file, before.get(file), options)]))
    const isSame = files.size === before.size && [...files].every(([file, { stamp }]) => before.get(file)?.stamp === stamp)
    if (!isSame) directory.prompts = named([...files.values()], options)
    return !isSame
  }
  scan()
  const stop = watchDirectory(path, () => {
    if (scan()) options.changed()
  })
  return directory
}

/** A file when it was read, and the prompt made from it. */
interface Known {
  readonly stamp: string
  readonly prompt: Prompt | undefined
}

const filesIn = (path: string): readonly string[] => {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter(isPrompt)
      .map(({ name }) => join(path, name))
      .sort()
      .slice(0, MAX_FILES)
  } catch {
    return []
  }
}

const isPrompt = (entry: Dirent): boolean =>
  !entry.name.startsWith('.') && ENDINGS.includes(extname(entry.name).toLowerCase()) && (entry.isFile() || entry.isSymbolicLink())

const known = (file: string, before: Known | undefined, options: DirectoryOptions): Known => {
  const stat = statSync(file, { throwIfNoEntry: false })
  const stamp = stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : 'gone'
  if (before?.stamp === stamp) return before
  const opened = openPrompt(file, options)
  if (!opened.ok) options.warn({ ...opened.error, path: file })
  return { stamp, prompt: opened.ok ? opened.value : undefined }
}

const named = (files: readonly Known[], { warn }: DirectoryOptions): Map<string, Prompt> => {
  const prompts = new Map<string, Prompt>()
  for (const { prompt } of files) {
    if (!prompt) continue
    const first = prompts.get(prompt.name)
    if (!first) prompts.set(prompt.name, prompt)
    else
      warn(
        fault('duplicate_name', `two prompts are named '${preview(prompt.name)}', and '${first.file}' is the one: rename '${prompt.file}'`),
      )
  }
  return prompts
}
