// What a model gets for a call of a tool, in particular one that has failed.

import type { Json } from '@plumb/lang'
import { type Fault, fault, isCode, isRecord, nearest, preview } from '@plumb/wire'
import type { ToolResult } from '../provider/provider.js'
import type { Consented } from './approvals.js'

export const toolResult = (tool_use_id: string, content: Json, is_error: boolean): ToolResult => ({
  type: 'tool_result',
  tool_use_id,
  content,
  is_error,
})

export const failure = (id: string, error: Fault): ToolResult => toolResult(id, JSON.stringify(error), true)

export const noSuchTool = (name: string, names: readonly string[]): Fault => {
  const near = nearest(name, names)
  const listed = names.length === 0 ? 'there are none' : `there are ${preview(names.join(', '), 200)}`
  return fault('unknown_tool', `no tool is named '${preview(name)}', ${near === undefined ? listed : `did you mean '${near}'?`}`)
}

interface Edit {
  readonly tool: string
  readonly edited: Consented['edited'] | undefined
}

/** A model is told which of its calls a person gave another input: its own words stay in the memory as it wrote them. */
export const withEdited = (content: Json, edits: readonly Edit[]): Json => {
  const told = edits.flatMap(({ tool, edited }) =>
    edited === undefined ? [] : [`A person changed the input of '${tool}' before it was called, to ${edited}`],
  )
  if (told.length === 0) return content
  const text = told.join('\n')
  return Array.isArray(content) ? [{ type: 'text', text }, ...content] : `${text}\n\n${content}`
}

const MAX_DETAIL = 300

/** What a failed call says, for people: the detail of an error object, or the texts of a server. `content` is JSON, or should be. */
export const detailOf = (content: string): string => {
  const said = wordsOf(parsed(content)).join(' ')
  return preview(said === '' ? content : said, MAX_DETAIL)
}

/** The code of an error object, if the table of codes has it. */
export const codeOf = (content: string): { readonly error?: string } => {
  const value = parsed(content)
  return isRecord(value) && typeof value.error === 'string' && isCode(value.error) ? { error: value.error } : {}
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const wordsOf = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(wordsOf)
  if (!isRecord(value)) return []
  return [value.detail, value.text, value.error, value.message].filter((words) => typeof words === 'string').slice(0, 1)
}
