// Converts a server's answer: to content for a model, or to a value of the type that the spec declares.

import { resolve, type Type } from '@plumb/lang'
import type { McpAnswer, McpContent } from '@plumb/mcp-client'
import { canonicalJson, fail, isRecord, parseJson, preview, type Result, succeed } from '@plumb/wire'
import { charactersOf, cutText } from '../../call/cut-text.js'
import { fitOutput } from '../../call/fit.js'
import type { JsonText } from '../../json-text.js'
import { cutContent, fitsOutput } from './cut-content.js'

export interface OutputLimit {
  /** In characters. */
  readonly maxOutput: number
  readonly onCut: (bytes: number) => void
}

/** A text as it is, anything else as a list of blocks; `isError` is an error that carries them as `content`. */
export const contentOfAnswer = (tool: string, answer: McpAnswer, limit: OutputLimit): Result<JsonText> => {
  if (answer.isError) return failed(tool, answer, limit)
  const { content, structured } = answer
  if (structured === undefined || hasText(content, structured)) return succeed(JSON.stringify(shown(cut(content, limit))))
  const fit = fitsOutput(tool, structured, limit.maxOutput)
  if (!fit.ok) return fit
  const room = limit.maxOutput - charactersOf(structured)
  return succeed(JSON.stringify(shown([...cut(content, { ...limit, maxOutput: room }), { type: 'text', text: structured }])))
}

/** The first that fits, preferably unrepaired, of: the structured content, the text as JSON, the text, the blocks. */
export const toValue = (tool: string, answer: McpAnswer, type: Type, limit: OutputLimit): Result<JsonText> => {
  if (answer.isError) return failed(tool, answer, limit)
  const { content, structured } = answer
  const text = textOf(content)
  if (resolve(type).kind === 'string') {
    const words = cutText(content.length === 0 ? (structured ?? '') : text, limit.maxOutput)
    if (words.cutBytes > 0) limit.onCut(words.cutBytes)
    return succeed(JSON.stringify(words.text))
  }
  const isText = content.every((block) => block.type === 'text')
  const blocks = [...(content.length === 1 ? [content[0]] : []), content].map((block) => JSON.stringify(block))
  const candidates = [
    ...(structured === undefined ? [] : [structured]),
    ...(content.length === 0 ? ['null'] : []),
    ...(isText && isJson(text) ? [oneLine(text)] : []),
    ...(isText ? [JSON.stringify(text)] : blocks),
  ]
  // If none fits, the output stage reports what is wrong with the first.
  const fits = candidates.map((json) => ({ json, fit: fitOutput(json, type) }))
  const fitting = fits.find(({ fit }) => fit.ok && fit.value.repairs.length === 0) ?? fits.find(({ fit }) => fit.ok)
  const json = fitting?.json ?? (candidates[0] as JsonText)
  const mediaCharacters = content.reduce((sum, block) => sum + ('data' in block ? block.data.length : 0), 0)
  return fitsOutput(tool, json, limit.maxOutput, blocks.includes(json) ? mediaCharacters : 0)
}

const shown = (blocks: readonly McpContent[]): string | readonly McpContent[] => {
  const [only, another] = blocks
  if (!only) return ''
  return only.type === 'text' && !another ? only.text : blocks
}

const cut = (content: readonly McpContent[], { maxOutput, onCut }: OutputLimit): readonly McpContent[] => {
  const { blocks, cutBytes } = cutContent(content, maxOutput)
  if (cutBytes > 0) onCut(cutBytes)
  return blocks
}

// Servers repeat structured content as text for older clients; some wrap a text, or a value, in the only field.
const hasText = (content: readonly McpContent[], structured: JsonText): boolean => {
  const value = JSON.parse(structured) as unknown
  const values = isRecord(value) ? Object.values(value) : [value]
  const [only] = values.length === 1 ? values : []
  const same = [structured, ...(only === undefined ? [] : [JSON.stringify(only)])].map(canonicalJson)
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return [...texts, texts.join('\n')].some((text) => text === only || (isJson(text) && same.includes(canonicalJson(text))))
}

const isJson = (text: string): boolean => {
  const bytes = Buffer.from(text)
  return parseJson(bytes, 0, bytes.length).ok
}

// JSON has line ends only between its tokens.
const oneLine = (text: string): JsonText => text.trim().replaceAll(/[\r\n]+/g, ' ')

const failed = (tool: string, answer: McpAnswer, limit: OutputLimit): Result<never> => {
  if (answer.error) return { ok: false, error: { ...answer.error, tool: answer.error.tool ?? tool } }
  const { content, structured, lacked } = answer
  const said = textOf(content).trim()
  const words = said === '' ? 'and says nothing of it' : preview(said, MAX_WORDS)
  const isSaid = structured === undefined || hasText(content, structured)
  const blocks: readonly McpContent[] = isSaid ? content : [...content, { type: 'text', text: structured }]
  return fail('tool_crashed', `tool '${tool}' failed: ${words}${lacked === undefined ? '' : `; ${lacked}`}`, {
    tool,
    content: shown(cut(blocks, limit)),
  })
}

const MAX_WORDS = 400

const textOf = (content: readonly McpContent[]): string => content.map(textOfBlock).join('\n')

const textOfBlock = (block: McpContent): string => {
  switch (block.type) {
    case 'text':
      return block.text
    case 'resource':
      return 'text' in block ? block.text : `[${block.media_type ?? 'resource'} ${block.uri}]`
    case 'resource_link':
      return `[${block.title ?? block.name} ${block.uri}]`
    default:
      return `[${block.type} ${block.media_type}]`
  }
}
