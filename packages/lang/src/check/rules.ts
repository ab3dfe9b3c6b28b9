// The rules for config values, in words and as tests: the vocabulary of the key tables.

import { KEY_VARIABLES } from '@plumb/wire/accounts'
import { type Category, ERRORS } from '@plumb/wire/error'
import { isRecord } from '@plumb/wire/is-record'
import { nearest } from '@plumb/wire/nearest'
import type { Json } from '../types/type.js'
import type { Inner, KeyRule, KeyTable, ValueRule } from './config.js'

export const rule = (expected: string, test: (v: Json) => boolean): KeyRule => ({ fits: (v) => (test(v) ? undefined : expected) })
const isStrings = (v: Json): v is readonly string[] => Array.isArray(v) && v.every((s) => typeof s === 'string')

/** Initial messages of a conversation. */
export const MESSAGES = rule(
  'a list of messages { role: "user" or "assistant", content: "…" }, whose content may be a ' +
    'list of { type: "text", text } and, of the user, { type: "image", path }',
  (v) => Array.isArray(v) && v.every(isMessage),
)
const isMessage = (v: Json): boolean => {
  if (!isRecord(v) || (v.role !== 'user' && v.role !== 'assistant') || Object.keys(v).length !== 2) return false
  const { role, content = null } = v
  return typeof content === 'string' || (Array.isArray(content) && content.every((part) => isPart(part, role === 'user')))
}
const isPart = (v: Json, isUser: boolean): boolean => {
  if (!isRecord(v) || Object.keys(v).length !== 2) return false
  return v.type === 'text' ? typeof v.text === 'string' : isUser && v.type === 'image' && typeof v.path === 'string'
}

export const TEXT = rule('a string', (v) => typeof v === 'string')
export const FLAG = rule('true or false', (v) => typeof v === 'boolean')
export const FLAG_OR_AUTO = rule('true, false or "auto"', (v) => typeof v === 'boolean' || v === 'auto')
export const COMPOSE = rule('true, false or { max_output: N }, N characters from 1', (v) => typeof v === 'boolean' || isComposing(v))
const isComposing = (v: Json): boolean => {
  if (!isRecord(v)) return false
  const { max_output = 1, ...others } = v
  return Number.isSafeInteger(max_output) && (max_output as number) >= 1 && Object.keys(others).length === 0
}
export const WORD = rule('a string that is not empty', (v) => typeof v === 'string' && v !== '')
export const STRINGS = rule('a list of strings', isStrings)
/** Texts by name, as in environments. */
export const TEXTS = rule('an object of strings', (v) => isRecord(v) && Object.values(v).every((s) => typeof s === 'string'))
/** Directories, by the names that a tool has for them. */
export const ROOTS = rule(
  'an object of directories: each a string, or { path, hard_links, untrusted, secret }',
  (v) => isRecord(v) && Object.values(v).every(isRoot),
)
const isRoot = (v: Json): boolean => {
  if (!isRecord(v)) return typeof v === 'string'
  const { path, hard_links = false, untrusted = false, secret = false, ...others } = v
  const isFlagged = [hard_links, untrusted, secret].every((flag) => typeof flag === 'boolean')
  return typeof path === 'string' && isFlagged && Object.keys(others).length === 0
}
export const COMMAND = rule('a list of strings, the program first', (v) => isStrings(v) && v.length > 0 && v[0] !== '')
export const OBJECT = rule('an object', isRecord)
export const ANYTHING = rule('', () => true)
/** Over the message. */
export const EXPRESSION: KeyRule = { ...rule('an expression over the message', () => true), isExpression: true }

export const wholeFrom = (min: number): KeyRule =>
  rule(`a whole number from ${min}`, (v) => Number.isSafeInteger(v) && (v as number) >= min)
export const OVER_ZERO = rule('a number over 0', (v) => typeof v === 'number' && v > 0)
export const numberIn = (min: number, max: number): KeyRule =>
  rule(
    max === Number.POSITIVE_INFINITY ? `a number from ${min}` : `a number from ${min} to ${max}`,
    (v) => typeof v === 'number' && v >= min && v <= max,
  )

/** One of these strings; near misses get a suggestion. */
export const oneOf = (...values: readonly string[]): KeyRule => {
  const all = values.map((v) => JSON.stringify(v)).join(', ')
  const fits: ValueRule = (v) => {
    if (typeof v === 'string' && values.includes(v)) return undefined
    const near = typeof v === 'string' ? nearest(v, values) : undefined
    return near === undefined ? `one of ${all}` : `one of ${all}; did you mean "${near}"?`
  }
  return { fits }
}

/** Names of bindings, bare or as strings: `tools: [search, "double"]`. */
export const NAMES: KeyRule = { ...rule('a list of names', isStrings), isNames: true }
export const NAME: KeyRule = { ...rule('a name', (v) => typeof v === 'string'), isNames: true }

/** Names of tools as a model sees them: those of servers stand in quotes. */
export const TOOL_NAMES: KeyRule = { ...NAMES, takesQuoted: true }

/** Names of which at least one is required. */
export const PARTS: KeyRule = { ...rule('a list of names, at least one', (v) => isStrings(v) && v.length > 0), isNames: true }

/** An object with keys of its own; `what` as in "a breaker has no key 'x'". */
export const objectOf = (what: string, keys: KeyTable): KeyRule => ({ ...OBJECT, inner: { what, keys } })

const isUrl = (v: Json): boolean => typeof v === 'string' && /^(https?|wss?):$/.test(URL.canParse(v) ? new URL(v).protocol : '')
export const WEB_ADDRESS = rule('the URL of a server, as in "https://host/mcp"', isUrl)

const isAgentUrl = (v: Json): boolean => {
  if (typeof v !== 'string' || !URL.canParse(v)) return false
  const { protocol, hostname, username } = new URL(v)
  const isLocal = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
  return username === '' && (protocol === 'https:' || (protocol === 'http:' && isLocal))
}
export const REMOTE = rule('the https URL of an agent, as in "https://host", or an http URL of this machine', isAgentUrl)

/** MCP servers: by config, and for a single tool also by URL. */
export const mcpServers = (inner: Inner): KeyRule => ({
  ...rule('a list of config values', (v) => Array.isArray(v) && v.every(isRecord)),
  inner,
})
export const serverOf = (inner: Inner): KeyRule => ({ ...rule('a URL or a config value', (v) => isUrl(v) || isRecord(v)), inner })

/** A server must not get what pays for a model (plumb-agent(1), Providers). */
const isVariable = (v: Json): boolean => typeof v === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(v) && !KEY_VARIABLES.includes(v)
export const VARIABLE = rule("the name of an environment variable, and never that of a provider's key", isVariable)
export const VARIABLES = rule(
  "an object of names of environment variables, and never those of providers' keys",
  (v) => isRecord(v) && Object.values(v).every(isVariable),
)

export const manyOf = (...values: readonly string[]): KeyRule =>
  rule(`a list of ${values.join(', ')}`, (v) => isStrings(v) && v.every((s) => values.includes(s)))

/** The effects of a call (plumb-tools(7), What may be done). */
export const EFFECTS = ['fs.read', 'fs.write', 'net', 'net.private', 'exec', 'model'] as const
export type Effect = (typeof EFFECTS)[number]

export const ERROR_CATEGORIES: readonly Category[] = ['config', 'invalid', 'not_found', 'denied', 'internal', 'unavailable']
const isErrorKind = (s: string): boolean => (ERROR_CATEGORIES as readonly string[]).includes(s) || Object.hasOwn(ERRORS, s)
export const ERROR_KINDS = rule('a list of error categories and codes, as in ["unavailable"]', (v) => isStrings(v) && v.every(isErrorKind))
