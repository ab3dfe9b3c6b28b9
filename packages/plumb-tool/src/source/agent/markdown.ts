// Reads a .md file: its YAML front matter configures the agent, and the rest is the system prompt.

import type { Json } from '@plumb/lang'
import { fail, isRecord, preview, type Result, succeed } from '@plumb/wire'
import { parseYaml, splitFrontMatter } from './front-matter.js'
import type { PromptFile } from './prompt.js'
import { type PromptTool, readPromptTool, type ToolAttributes } from './prompt-tool.js'

export const readMarkdown = (text: string, path: string): Result<PromptFile> => {
  const split = readEntries(text)
  if (!split.ok) return refuse(path, split.error.detail)
  // Other systems name the prompt by it.
  const { tools, name: _, ...config } = split.value.entries
  if (config.prompt !== undefined) return refuse(path, "'prompt' is the text below the front matter: take the entry out")
  const read = readTools(tools ?? [])
  if (!read.ok) return refuse(path, read.error.detail)
  const place = { source: { path, text }, start: 0, end: text.length }
  return succeed({ path, config, system: split.value.text.trim(), history: [], tools: read.value, place })
}

/** A list, or names separated by commas. An item is the name of a built-in tool, or an object with the attributes of <tool> in .chatmd. */
const readTools = (tools: Json): Result<readonly PromptTool[]> => {
  const items = typeof tools === 'string' ? tools.split(',').map((name) => name.trim()) : tools
  if (!Array.isArray(items)) return fail('config_invalid', "'tools' takes a list, as in [read_file, { name: status, command: git status }]")
  const read: PromptTool[] = []
  for (const item of items as readonly Json[]) {
    const attributes = typeof item === 'string' ? { name: item } : asAttributes(item)
    if (!isAttributes(attributes))
      return fail('config_invalid', `${preview(JSON.stringify(item))} in 'tools' is not a tool: give a name, or name and source`)
    // `local` is the only kind of prompt that a tool can name here.
    const tool = readPromptTool(attributes.agent === undefined ? attributes : { local: true, ...attributes })
    if (!tool.ok) return tool
    read.push(tool.value)
  }
  return succeed(read)
}

// In YAML these are lists and objects; attributes of a tag have them as text.
const asAttributes = (item: Json): Json => {
  if (!isRecord(item)) return item
  const { effects, sandbox, ...rest } = item
  return {
    ...rest,
    ...(effects === undefined ? {} : { effects: Array.isArray(effects) ? effects.join(',') : effects }),
    ...(sandbox === undefined ? {} : { sandbox: isRecord(sandbox) ? JSON.stringify(sandbox) : sandbox }),
  }
}

const isAttributes = (value: Json): value is ToolAttributes =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((entry) => typeof entry === 'string' || typeof entry === 'boolean')

const refuse = (path: string, detail: string): Result<never> =>
  fail('config_invalid', `cannot use '${preview(path, 200)}': ${detail}`, { path })

const readEntries = (text: string): Result<{ readonly entries: { readonly [key: string]: Json }; readonly text: string }> => {
  const split = splitFrontMatter(text)
  if (!split) return succeed({ entries: {}, text })
  const parsed = parseYaml(split.yaml)
  if (!parsed.ok) return fail('config_invalid', `its front matter is not YAML: ${preview(parsed.error.why, 200)}`)
  const entries = parsed.value ?? {}
  if (!isRecord(entries)) return fail('config_invalid', 'its front matter is not a list of entries such as model: name')
  return succeed({ entries: entries as { readonly [key: string]: Json }, text: split.text })
}
