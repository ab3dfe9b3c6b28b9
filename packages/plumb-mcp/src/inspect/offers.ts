// plumb-mcp tools, prompts, resources: lists what a server offers, one a line, or shows one prompt or resource.

import type { Json } from '@plumb/lang'
import { type McpTool, openToolListCache, type ServerConfig } from '@plumb/tool/internal'
import { fault, isRecord, parseJson, type Result } from '@plumb/wire'
import type { InspectVerb } from './inspection.js'

export const tools: InspectVerb = async ({ connection, write, report }) => {
  const listed = await connection.listedTools()
  if (!listed.ok) return report(listed.error)
  for (const tool of listed.value) write(toolLine(tool))
}

/** The last list. Undefined: older than the `cache_ttl` of the server. */
export const cachedTools = async (config: ServerConfig): Promise<readonly string[] | undefined> =>
  (await openToolListCache(config).read())?.map(toolLine)

const toolLine = ({ name, title, description, inputSchema, outputSchema, annotations, needsTask }: McpTool): string =>
  JSON.stringify({ name, title, description, input_schema: inputSchema, output_schema: outputSchema, annotations, needs_task: needsTask })

export const prompts: InspectVerb = async ({ asked, connection, write, report }) => {
  const [name, given = '{}'] = asked.words
  if (name === undefined) {
    const listed = await connection.prompts()
    if (!listed.ok) return report(listed.error)
    for (const prompt of listed.value) write(JSON.stringify(toOurs(prompt)))
    return
  }
  const args = readArguments(given)
  if (!args.ok) return report(args.error)
  const prompt = await connection.prompt(name, args.value)
  if (prompt.ok) write(JSON.stringify(toOurs(prompt.value)))
  else report(prompt.error)
}

const readArguments = (given: string): Result<Readonly<Record<string, string>>> => {
  const bytes = Buffer.from(given)
  const parsed = parseJson(bytes, 0, bytes.length)
  if (!parsed.ok) return { ok: false, error: { ...parsed.error, detail: `the arguments are ${parsed.error.detail}` } }
  if (isTexts(parsed.value)) return { ok: true, value: parsed.value }
  return {
    ok: false,
    error: fault('input_type_mismatch', 'the arguments of a prompt are a JSON object of strings, such as {"city":"Rome"}'),
  }
}

export const resources: InspectVerb = async ({ asked, connection, write, report }) => {
  const [uri] = asked.words
  if (uri === undefined) {
    const listed = await connection.resources()
    if (!listed.ok) return report(listed.error)
    const templates = await connection.resourceTemplates()
    if (!templates.ok) return report(templates.error)
    for (const resource of [...listed.value, ...templates.value]) write(JSON.stringify(toOurs(resource)))
    return
  }
  const read = await connection.read(uri)
  if (!read.ok) return report(read.error)
  const { contents } = read.value as { readonly contents?: Json }
  for (const part of Array.isArray(contents) ? contents : []) write(JSON.stringify(toOurs(part)))
}

/** With plumb's names: media_type for mimeType, data for blob. */
const toOurs = (value: Json | object): Json => {
  if (Array.isArray(value)) return value.map(toOurs)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value as Record<string, Json>).map(([key, part]) => [nameOf(key), KEPT.has(key) ? part : toOurs(part)]),
  )
}

/** Converts their names, at every level. */
const KEPT = new Set(['_meta', 'annotations'])

const NAMES = new Map([
  ['mimeType', 'media_type'],
  ['blob', 'data'],
])

const nameOf = (key: string): string => NAMES.get(key) ?? key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A JSON object of strings. */
const isTexts = (value: unknown): value is Readonly<Record<string, string>> =>
  isRecord(value) && Object.values(value).every((text) => typeof text === 'string')
