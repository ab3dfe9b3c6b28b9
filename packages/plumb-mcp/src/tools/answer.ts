// A result or an error in MCP's form: content for people and models, and the value itself if its type says more than the text does.

import type { JsonText } from '@plumb/tool/internal'
import { type Fault, isRecord, type Result, scrub } from '@plumb/wire'

export type ServedContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource'; readonly resource: ResourceText | ResourceBlob }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string; readonly [key: string]: unknown }

export interface ResourceText {
  readonly uri: string
  readonly mimeType?: string
  readonly text: string
}

export interface ResourceBlob {
  readonly uri: string
  readonly mimeType?: string
  /** Base64. */
  readonly blob: string
}

export interface McpToolResult {
  readonly content: readonly ServedContent[]
  /** Any JSON value; only objects go to clients of older revisions. */
  readonly structuredContent?: unknown
  readonly isError?: true
}

/** `isStructured`: the tool has a schema for its results. */
export const toAnswer = (result: Result<JsonText>, isStructured: boolean): McpToolResult => {
  if (!result.ok) return toError(result.error)
  const value: unknown = JSON.parse(result.value)
  const content = toContent(value, result.value)
  return isStructured ? { content, structuredContent: value } : { content }
}

/** The error object as text, without keys; the content that came with it follows. */
export const toError = ({ content, ...error }: Fault): McpToolResult => ({
  content: [{ type: 'text', text: scrub(JSON.stringify(error)) }, ...(toBlocks(content) ?? [])],
  isError: true,
})

/** A string as its text, blocks as blocks, anything else as JSON with its digits kept. */
export const toContent = (value: unknown, json: JsonText): readonly ServedContent[] =>
  typeof value === 'string' ? [{ type: 'text', text: value }] : (toBlocks(value) ?? [{ type: 'text', text: json }])

const toBlocks = (value: unknown): readonly ServedContent[] | undefined => {
  if (Array.isArray(value)) {
    const blocks = value.map(toBlock)
    return blocks.length > 0 && value.some(isRecord) && blocks.every((block) => block !== undefined) ? blocks : undefined
  }
  const block = isRecord(value) ? toBlock(value) : undefined
  return block && [block]
}

/** `Block`, as our tools write it (plumb-tools(7)). */
const toBlock = (value: unknown): ServedContent | undefined => {
  if (typeof value === 'string') return { type: 'text', text: value }
  if (!isRecord(value)) return undefined
  const { type, text, media_type: media, data, uri, name, ...rest } = value
  const mimeType = typeof media === 'string' ? { mimeType: media } : {}
  if (type === 'text' && typeof text === 'string') return { type, text }
  if ((type === 'image' || type === 'audio') && typeof data === 'string' && typeof media === 'string')
    return { type, data, mimeType: media }
  if (typeof uri !== 'string') return undefined
  if (type === 'resource' && typeof text === 'string') return { type, resource: { uri, ...mimeType, text } }
  if (type === 'resource' && typeof data === 'string') return { type, resource: { uri, ...mimeType, blob: data } }
  return type === 'resource_link' && typeof name === 'string' ? { ...rest, type, uri, name, ...mimeType } : undefined
}
