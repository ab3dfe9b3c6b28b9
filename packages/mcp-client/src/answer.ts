// Converts the result of a tool call from MCP's form to ours, for every kind of content.

import type { Json } from '@plumb/lang'
import { parseReported } from '@plumb/sandbox'
import { compileSchema, type Fault, fail, isRecord, type Result, type SchemaCheck, succeed } from '@plumb/wire'
import type { McpAnswer, McpContent, McpTool } from './connection.js'

export interface AnswerOf {
  readonly server: string
  readonly tool: string
  /** Undefined: the tool has no output schema. */
  readonly check: SchemaCheck | undefined
  /** Structured content is any JSON, null included; before 2026-07-28 it is an object, or absent. */
  readonly takesNull: boolean
}

export const readToolAnswer = (
  result: Readonly<Record<string, unknown>>,
  { server, tool, check, takesNull }: AnswerOf,
): Result<McpAnswer> => {
  const refuse = (why: string, extras = {}) =>
    fail('bad_reply', `the answer of tool '${tool}' of MCP server '${server}' ${why}`, { server, tool, ...extras })
  const { isError: failed } = result
  const content = result.content ?? []
  const structuredContent = takesNull ? result.structuredContent : (result.structuredContent ?? undefined)
  if (!Array.isArray(content)) return refuse('has a content that is not a list')
  const isError = failed === true
  if (check && !isError) {
    if (structuredContent === undefined) return refuse('has no structured content, and the tool has an output schema')
    const [flaw] = check(structuredContent)
    if (flaw) return refuse(`does not fit its output schema: ${flaw.path === '' ? 'it' : flaw.path} ${flaw.detail}`, { path: flaw.path })
  }
  try {
    const structured = structuredContent === undefined ? {} : { structured: JSON.stringify(structuredContent) }
    const given = content.map(readContent)
    const error = isError ? errorIn(given) : undefined
    return succeed({ content: given, ...structured, isError, ...(error ? { error } : {}) })
  } catch {
    // JSON that is too deep to be written.
    return refuse('is nested too deep')
  }
}

// How our own servers report a failed call.
const errorIn = ([only, another]: readonly McpContent[]): Fault | undefined =>
  only?.type === 'text' && !another && only.text.length <= MAX_ERROR_LENGTH ? parseReported(only.text)?.fault : undefined

const MAX_ERROR_LENGTH = 64 * 1024

/** Undefined if there is none; an unusable schema is `bad_reply`, and answers cannot be checked. */
export const outputCheck = ({ outputSchema }: McpTool): Result<SchemaCheck | undefined> =>
  outputSchema === undefined ? succeed(undefined) : compileSchema(outputSchema)

/** Content of an unknown kind is shown as its JSON. */
const readContent = (item: unknown): McpContent => {
  const known = isRecord(item) ? KINDS.get(item.type as string)?.(item as Record<string, Json>) : undefined
  return known ?? { type: 'text', text: JSON.stringify(item) ?? '' }
}

type Read = (item: Readonly<Record<string, Json>>) => McpContent | undefined

const isText = (value: Json | undefined): value is string => typeof value === 'string'

const media =
  (type: 'image' | 'audio'): Read =>
  ({ data, mimeType }) =>
    // The first bytes of an image say what it is.
    isText(data) && (isText(mimeType) || type === 'image') ? { type, media_type: isText(mimeType) ? mimeType : '', data } : undefined

const KINDS = new Map<string, Read>(
  Object.entries({
    text: ({ text }) => (isText(text) ? { type: 'text', text } : undefined),
    image: media('image'),
    audio: media('audio'),
    resource: ({ resource }) => {
      if (!isRecord(resource) || typeof resource.uri !== 'string') return undefined
      const { uri, mimeType, text, blob } = resource
      const head = { type: 'resource', uri, ...(typeof mimeType === 'string' ? { media_type: mimeType } : {}) } as const
      if (typeof text === 'string') return { ...head, text }
      return typeof blob === 'string' ? { ...head, data: blob } : undefined
    },
    resource_link: ({ uri, name, title, description, mimeType, size }) =>
      isText(uri) && isText(name)
        ? {
            type: 'resource_link',
            uri,
            name,
            ...(isText(title) ? { title } : {}),
            ...(isText(description) ? { description } : {}),
            ...(isText(mimeType) ? { media_type: mimeType } : {}),
            ...(typeof size === 'number' ? { size } : {}),
          }
        : undefined,
  } satisfies Record<string, Read>),
)
