// The tools that the MCP servers of this agent offer, read from a list in the form of the Messages API.

import type { Json } from '@plumb/lang'
import { EFFECTS, type Effect } from '@plumb/policy'
import { type FitSchema, openFitSchema } from '@plumb/tool/call/fit-schema'
import { typeOfSchema } from '@plumb/tool/call/type-of-schema'
import { fail, isRecord, preview, type Result, succeed } from '@plumb/wire'
import type { CallableTool } from './callable.js'
import type { ChildDispatcher } from './child-dispatcher.js'

export type OfferedTools = ReadonlyMap<string, CallableTool>

/** The MCP servers of one agent. */
export interface Servers {
  /** Their current tools. */
  readonly offered: () => OfferedTools
  /** The child with their connections, which runs their tools. Undefined if the agent's parent has them. */
  readonly own: ChildDispatcher | undefined
  /** Takes a later list from the agent's parent. */
  readonly renew: (list: unknown) => void
}

export const NOTHING_OFFERED: OfferedTools = new Map()

/** `servers`, from the spec, supply what the list omits. The first of equal names counts. */
export const readOfferedTools = (value: unknown, servers: readonly Json[]): Result<OfferedTools> => {
  if (!Array.isArray(value)) return refuse(`it is not a list of tools, but ${preview(String(JSON.stringify(value)))}`)
  const tools = new Map<string, CallableTool>()
  for (const [place, entry] of value.entries()) {
    if (!isEntry(entry))
      return refuse(`tool ${place + 1} is to be {"name","description","input_schema"}, found ${preview(JSON.stringify(entry))}`)
    if (!tools.has(entry.name)) tools.set(entry.name, toTool(entry, servers))
  }
  return succeed(tools)
}

const refuse = (why: string) => fail('config_invalid', why)

interface Entry {
  readonly name: string
  readonly description?: string
  readonly input_schema: { readonly [key: string]: Json }
  readonly output_schema?: { readonly [key: string]: Json }
  readonly strict?: boolean
  readonly instructions?: string
  readonly effects?: readonly Effect[]
  readonly hosts?: readonly string[]
}

const isEntry = (value: unknown): value is Entry => {
  if (!isRecord(value)) return false
  const { name, description, input_schema, output_schema, strict, instructions, effects, hosts } = value
  const isText = typeof name === 'string' && name !== '' && (description === undefined || typeof description === 'string')
  const areEffects = effects === undefined || isListOf(effects, (effect) => EFFECTS.includes(effect as Effect))
  const areHosts = hosts === undefined || isListOf(hosts, (host) => typeof host === 'string')
  const areSchemas = isRecord(input_schema) && (output_schema === undefined || isRecord(output_schema))
  const areInstructions = instructions === undefined || typeof instructions === 'string'
  return isText && areInstructions && areSchemas && (strict === undefined || typeof strict === 'boolean') && areEffects && areHosts
}

const isListOf = (value: unknown, is: (item: unknown) => boolean): boolean => Array.isArray(value) && value.every(is)

const toTool = (
  { name, description = '', input_schema, output_schema, strict, instructions, effects, hosts }: Entry,
  servers: readonly Json[],
): CallableTool => {
  let fit: FitSchema | undefined
  let signature: CallableTool['signature'] | undefined
  return {
    name,
    effects: effects ?? effectsOf(servers),
    ...(hosts && hosts.length > 0 ? { hosts } : {}),
    needsApproval: false,
    parts: [],
    // Only chains use it.
    get signature() {
      signature ??= { input: typeOfSchema(input_schema), output: output_schema ? typeOfSchema(output_schema) : { kind: 'json' } }
      return signature
    },
    offer: { name, description, input_schema, ...(strict ? { strict } : {}), ...(instructions === undefined ? {} : { instructions }) },
    isWrapped: false,
    isOfServer: true,
    timeoutMs: callTimeoutMs(servers),
    fit: (json) => {
      if (!fit) {
        const opened = openFitSchema(input_schema)
        fit = opened.ok ? opened.value : anyObject
      }
      return fit(name, json)
    },
  }
}

/** A list that was not made by plumb may omit effects: then each tool may have all effects of the servers. */
const effectsOf = (servers: readonly Json[]): readonly Effect[] => [
  ...new Set(servers.map((server): Effect => (isRecord(server) && 'command' in server ? 'exec' : 'net'))),
]

// The dispatcher reports an unusable schema.
const anyObject: FitSchema = (name, json) =>
  isRecord(JSON.parse(json))
    ? succeed({ json, repairs: [] })
    : fail('input_type_mismatch', `the input of '${name}' is an object, found ${preview(json)}`)

const MIN_TIMEOUT_MS = 10 * 60_000
const DEFAULT_SECONDS = 60
const MAX_TIMER_MS = 2 ** 31 - 1

// The dispatcher enforces the server's `timeout`; this is for a dispatcher that hangs.
const callTimeoutMs = (servers: readonly Json[]): number => {
  const seconds = servers.map((server) => (isRecord(server) && typeof server.timeout === 'number' ? server.timeout : DEFAULT_SECONDS))
  return Math.min(MAX_TIMER_MS, MIN_TIMEOUT_MS + 2 * 1000 * Math.max(DEFAULT_SECONDS, ...seconds))
}
