// Reads a tool declaration of a prompt file, by the attributes of ochat.

import type { Json } from '@plumb/lang'
import { fail, isRecord, nearest, preview, type Result, succeed } from '@plumb/wire'
import { splitCommandLine } from '../split-command-line.js'

export type PromptTool =
  | {
      readonly kind: 'builtin' | 'command' | 'agent'
      readonly name: string
      readonly of: string
      readonly description?: string
      /** As the keys of a tool. */
      readonly effects?: readonly string[]
      readonly sandbox?: Json
    }
  /** An MCP server with all or some of its tools, as an entry of the key `mcp`. */
  | { readonly kind: 'server'; readonly server: { readonly [key: string]: Json } }

/** A flag without a value is `true`. */
export type ToolAttributes = { readonly [name: string]: string | boolean }

const NAMES = [
  'name',
  'command',
  'description',
  'agent',
  'mcp_server',
  'include',
  'includes',
  'strict',
  'client_id_env',
  'client_secret_env',
  'local',
  'effects',
  'sandbox',
]
const SOURCES = ['command', 'agent', 'mcp_server'] as const

/** Errors name the tool; the caller adds the file. */
export const readPromptTool = (attributes: ToolAttributes): Result<PromptTool> => {
  const unknown = Object.keys(attributes).find((name) => !NAMES.includes(name))
  if (unknown !== undefined) return refuse(`a tool has no attribute '${preview(unknown)}', ${didYouMean(unknown)}`)
  const sources = SOURCES.filter((source) => attributes[source] !== undefined)
  const [source] = sources
  if (sources.length > 1) return refuse(`a tool has one of ${sources.join(' and ')}, not both`)
  const wrong = NAMES.find((name) => !FLAGS.includes(name) && typeof attributes[name] === 'boolean')
  if (wrong !== undefined) return refuse(`the attribute '${wrong}' of a tool needs a value`)
  if (source === 'mcp_server') return readServer(attributes)
  const { name, description } = attributes as Readonly<Record<string, string>>
  if (!name || !/^[A-Za-z_]\w*$/.test(name)) return refuse(`a tool needs a name of letters, digits and _, found '${preview(name ?? '')}'`)
  if (source === 'agent' && !attributes.local) return refuse(`the prompt of tool '${name}' must be a file: give it the attribute 'local'`)
  const kind = source ?? 'builtin'
  const access = readAccess(name, attributes)
  if (!access.ok) return access
  const said = description === undefined ? {} : { description }
  return succeed({ kind, name, of: String(attributes[kind] ?? name), ...said, ...access.value })
}

const FLAGS: readonly string[] = ['strict', 'local', 'sandbox']

interface Access {
  readonly effects?: readonly string[]
  readonly sandbox?: Json
}

// The compiler checks their values.
const readAccess = (name: string, { effects, sandbox }: ToolAttributes): Result<Access> => {
  const keys = typeof effects === 'string' ? { effects: splitList(effects) } : {}
  if (sandbox === undefined) return succeed(keys)
  if (sandbox === false || sandbox === 'false') return succeed({ ...keys, sandbox: false })
  try {
    const value: unknown = JSON.parse(String(sandbox))
    if (isRecord(value)) return succeed({ ...keys, sandbox: value as Json })
  } catch {
    // As is said below.
  }
  return refuse(`'sandbox' of tool '${preview(name)}' is not a sandbox: expected false, or an object as in '{"write":["out"]}'`)
}

const didYouMean = (name: string): string => {
  const near = nearest(name, NAMES)
  return near === undefined ? `it may have ${NAMES.join(', ')}` : `did you mean '${near}'?`
}

const readServer = (attributes: ToolAttributes): Result<PromptTool> => {
  const address = String(attributes.mcp_server)
  const chosen = attributes.name ?? attributes.includes ?? attributes.include
  const tools = typeof chosen === 'string' ? { tools: splitList(chosen) } : {}
  const secrets = Object.fromEntries(
    ['client_id_env', 'client_secret_env'].flatMap((key) => (key in attributes ? [[key, attributes[key] as Json]] : [])),
  )
  const access = readAccess(address, attributes)
  if (!access.ok) return access
  if (access.value.effects) return refuse("an MCP server has no 'effects': say 'sandbox'")
  const rest = { ...tools, ...access.value, ...(isOn(attributes.strict) ? { strict: true } : {}), ...secrets }
  const [program, ...args] = address.startsWith(STDIO) ? splitCommandLine(address.slice(STDIO.length)) : []
  if (program !== undefined) return succeed({ kind: 'server', server: { command: program, args, ...rest } })
  const url = address.replace(/^mcp\+(?=https?:)/, '')
  if (!/^https?:\/\//.test(url)) return refuse(`'${preview(address)}' is not an MCP server: it begins with stdio:, http: or https:`)
  const auth = Object.keys(secrets).length > 0 ? { auth: 'query' } : {}
  return succeed({ kind: 'server', server: { url, ...rest, ...auth } })
}

const STDIO = 'stdio:'

const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

const isOn = (flag: string | boolean | undefined): boolean => flag !== undefined && flag !== false && flag !== 'false'

const refuse = (detail: string): Result<never> => fail('config_invalid', detail)
