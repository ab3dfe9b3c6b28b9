// Parameters of tools that a server wants repeated in headers: `x-mcp-header` in a schema (MCP 2026-07-28, Streamable HTTP).

import type { Json } from '@plumb/lang'
import { isRecord, preview } from '@plumb/wire'
import type { McpTool } from './connection.js'

export interface ParameterHeaders {
  /** Replaces what was known before. */
  readonly learn: (tools: readonly McpTool[]) => void
  readonly of: (tool: string, input: unknown) => Readonly<Record<string, string>>
}

interface Mirrored {
  readonly header: unknown
  readonly type: unknown
  readonly path: readonly string[]
}

export const openParameterHeaders = (): ParameterHeaders => {
  let known = new Map<string, readonly Mirrored[]>()
  return {
    learn: (tools) => {
      known = new Map(tools.flatMap(({ name, inputSchema }) => (mentions(inputSchema) ? [[name, mirroredIn(inputSchema)] as const] : [])))
    },
    of: (tool, input) =>
      Object.fromEntries(
        (known.get(tool) ?? []).flatMap(({ header, path }) => {
          const value = path.reduce((part: unknown, key) => (isRecord(part) && Object.hasOwn(part, key) ? part[key] : undefined), input)
          return isPlain(value) ? [[`mcp-param-${String(header).toLowerCase()}`, encodeHeader(String(value))]] : []
        }),
      ),
  }
}

const KEY = 'x-mcp-header'

const mentions = (schema: Json): boolean => JSON.stringify(schema).includes(KEY)

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value)

/** Only through `properties`: the rest of a schema depends on the value. */
const mirroredIn = (schema: unknown, path: readonly string[] = []): readonly Mirrored[] => {
  if (!isRecord(schema)) return []
  const { [KEY]: header, type, properties } = schema
  const fields = isRecord(properties) ? Object.entries(properties) : []
  return [...(KEY in schema ? [{ header, type, path }] : []), ...fields.flatMap(([name, field]) => mirroredIn(field, [...path, name]))]
}

const countIn = (value: unknown, isFields = false): number => {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countIn(item), 0)
  if (!isRecord(value)) return 0
  const own = !isFields && KEY in value ? 1 : 0
  return Object.entries(value).reduce((sum, [key, part]) => sum + countIn(part, !isFields && key === 'properties'), own)
}

/** Undefined: the schema is valid. A tool with another schema cannot be called over HTTP. */
export const whyNotMirrored = (schema: Json): string | undefined => {
  if (!mentions(schema)) return undefined
  const all = mirroredIn(schema)
  if (all.length < countIn(schema)) return `an '${KEY}' that belongs to no parameter`
  const seen = new Set<string>()
  for (const { header, type, path } of all) {
    if (typeof header !== 'string' || !TOKEN.test(header)) return `${preview(String(JSON.stringify(header)))} as the name of a header`
    if (path.length === 0 || !PLAIN_TYPES.includes(type))
      return `the header '${preview(header)}' for what is not text, whole number or bool`
    if (seen.has(header.toLowerCase())) return `the header '${preview(header)}' twice`
    seen.add(header.toLowerCase())
  }
  return undefined
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const PLAIN_TYPES: readonly unknown[] = ['string', 'integer', 'boolean']

/** Visible ASCII with inner spaces is sent unchanged, anything else in base64 between two marks. */
export const encodeHeader = (value: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value)
    ? value
    : `=?base64?${Buffer.from(value).toString('base64')}?=`
