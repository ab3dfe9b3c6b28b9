// What the MCP servers of this agent offer, as whoever has opened them says it: a list of tools in the form of the Messages API.

import type { Json } from '@plumb/lang'
import { type FitSchema, openFitSchema } from '@plumb/tool/call/fit-schema'
import { EFFECTS, type Effect } from '@plumb/tool/call/permit'
import { fail, isRecord, preview, type Result, succeed } from '@plumb/wire'
import type { CallableTool } from './callable.js'

export type Catalogue = ReadonlyMap<string, CallableTool>

export const NOTHING_OFFERED: Catalogue = new Map()

/** `servers` are those of the spec, for what the list does not say. Of equal names the first counts. */
export const readCatalogue = (value: unknown, servers: readonly Json[]): Result<Catalogue> => {
  if (!Array.isArray(value)) return refuse(`it is no list of tools, but ${preview(String(JSON.stringify(value)))}`)
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
  readonly strict?: boolean
  readonly effects?: readonly Effect[]
  readonly hosts?: readonly string[]
}

const isEntry = (value: unknown): value is Entry => {
  if (!isRecord(value)) return false
  const { name, description, input_schema, strict, effects, hosts } = value
  const isText = typeof name === 'string' && name !== '' && (description === undefined || typeof description === 'string')
  const areEffects = effects === undefined || isListOf(effects, (effect) => EFFECTS.includes(effect as Effect))
  const areHosts = hosts === undefined || isListOf(hosts, (host) => typeof host === 'string')
  return isText && isRecord(input_schema) && (strict === undefined || typeof strict === 'boolean') && areEffects && areHosts
}

const isListOf = (value: unknown, is: (item: unknown) => boolean): boolean => Array.isArray(value) && value.every(is)

const toTool = ({ name, description = '', input_schema, strict, effects, hosts }: Entry, servers: readonly Json[]): CallableTool => {
  let fit: FitSchema | undefined
  return {
    name,
    effects: effects ?? effectsOf(servers),
    ...(hosts && hosts.length > 0 ? { hosts } : {}),
    isApprovalAsked: false,
    parts: [],
    offer: { name, description, input_schema, ...(strict ? { strict } : {}) },
    isWrapped: false,
    isOfServer: true,
    timeoutMs: patience(servers),
    fit: (json) => {
      if (!fit) {
        const opened = openFitSchema(input_schema)
        fit = opened.ok ? opened.value : anyObject
      }
      return fit(name, json)
    },
  }
}

/** A list of another's making may not say it: then each tool may do what any of the servers may. */
const effectsOf = (servers: readonly Json[]): readonly Effect[] => [
  ...new Set(servers.map((server): Effect => (isRecord(server) && 'command' in server ? 'exec' : 'net'))),
]

// A schema that cannot be used is for whoever runs the tool to speak of.
const anyObject: FitSchema = (name, json) =>
  isRecord(JSON.parse(json))
    ? succeed({ json, repairs: [] })
    : fail('input_type_mismatch', `the input of '${name}' is an object, found ${preview(json)}`)

const LEAST_MS = 10 * 60_000
const DEFAULT_SECONDS = 60
const MOST_MS = 2 ** 31 - 1

// Whoever runs it keeps to the server's `timeout`.
const patience = (servers: readonly Json[]): number => {
  const seconds = servers.map((server) => (isRecord(server) && typeof server.timeout === 'number' ? server.timeout : DEFAULT_SECONDS))
  return Math.min(MOST_MS, LEAST_MS + 2 * 1000 * Math.max(DEFAULT_SECONDS, ...seconds))
}
