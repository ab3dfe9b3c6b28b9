// The tools that a server lists: those that can be called, once each.

import type { Json } from '@plumb/lang'
import { type Fault, fault, isRecord, preview, whyUnusable } from '@plumb/wire'
import type { McpTool } from './connection.js'
import { whyNotMirrored } from './parameter-headers.js'

const MAX_NAME = 256
const MAX_SCHEMA_DEPTH = 128
const MAX_NOTES = 10

/** What is left out goes to `note`, in at most ten warnings. `isMirrored`: parameters are repeated in headers, if a schema says so. */
export const readTools = (
  items: readonly Readonly<Record<string, Json>>[],
  server: string,
  note: (warning: Fault) => void,
  isMirrored = false,
): readonly McpTool[] => {
  const tools = new Map<string, McpTool>()
  let notes = 0
  const say = (words: string): void => {
    if (notes++ < MAX_NOTES) note(fault('bad_reply', words, { server }))
  }
  for (const item of items) {
    const why = whyNot(item, tools) ?? (isMirrored ? whyNotSent(item) : undefined)
    if (why !== undefined) {
      say(`a tool of MCP server '${server}' is left out: ${why}`)
      continue
    }
    const odd = whyUnchecked(item)
    if (odd !== undefined) say(`what tool '${preview(String(item.name))}' of MCP server '${server}' answers is not checked: ${odd}`)
    tools.set(item.name as string, toTool(item, odd === undefined))
  }
  return [...tools.values()]
}

const whyNot = (
  { name, inputSchema, outputSchema }: Readonly<Record<string, Json>>,
  tools: ReadonlyMap<string, McpTool>,
): string | undefined => {
  if (typeof name !== 'string' || name === '') return 'it has no name'
  const shown = `'${preview(name)}'`
  if (name.length > MAX_NAME) return `the name ${shown} is longer than ${MAX_NAME} characters`
  if (preview(name, MAX_NAME) !== name || /\s/.test(name)) return `the name ${shown} has white space or a control character in it`
  if (tools.has(name)) return `there is a tool ${shown} already`
  if (!isRecord(inputSchema)) return `${shown} has no input schema`
  for (const schema of [inputSchema, outputSchema]) {
    if (isDeep(schema)) return `a schema of ${shown} is nested more than ${MAX_SCHEMA_DEPTH} deep`
  }
  const unusable = whyUnusable(inputSchema)
  if (unusable !== undefined) return `the input schema of ${shown} cannot be used: ${unusable}`
  return takesObject(inputSchema) ? undefined : `the input schema of ${shown} takes no object, which the arguments of a call are`
}

const takesObject = ({ type = 'object' }: Readonly<Record<string, unknown>>): boolean =>
  type === 'object' || (Array.isArray(type) && type.includes('object'))

/** Such a tool can be called all the same. */
const whyUnchecked = ({ outputSchema }: Readonly<Record<string, Json>>): string | undefined => {
  if (outputSchema === undefined || outputSchema === null) return undefined
  if (!isRecord(outputSchema)) return 'its output schema is not an object'
  const why = whyUnusable(outputSchema)
  return why === undefined ? undefined : `its output schema cannot be used: ${why}`
}

const whyNotSent = ({ name, inputSchema }: Readonly<Record<string, Json>>): string | undefined => {
  const why = whyNotMirrored(inputSchema as Json)
  return why === undefined ? undefined : `'${preview(String(name))}' has ${why}`
}

const toTool = (item: Readonly<Record<string, Json>>, isChecked: boolean): McpTool => {
  const { name, inputSchema, outputSchema, annotations, execution } = item
  const text = (key: 'title' | 'description') => (typeof item[key] === 'string' ? { [key]: item[key] } : {})
  return {
    name: name as string,
    ...text('title'),
    ...text('description'),
    inputSchema: inputSchema as Json,
    ...(outputSchema === undefined || outputSchema === null || !isChecked ? {} : { outputSchema }),
    ...(isRecord(annotations) ? { annotations: annotations as Json } : {}),
    // A duplicate name.
    ...((isRecord(execution) && execution.taskSupport === 'required') || item.needsTask === true ? { needsTask: true } : {}),
  }
}

// Iterative, since it may be deeper than the stack.
const isDeep = (value: Json | undefined): boolean => {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_SCHEMA_DEPTH) return true
    level = level.flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : []))
  }
  return false
}
