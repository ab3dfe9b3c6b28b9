// An MCP server as a config value: its keys by the table of plumb-tools(7), MCP servers.

import { once } from '@plumb/wire/once'
import { error, type Report } from '../diagnostic/diagnostic.js'
import type { AgentImplementation, ObjectValue } from '../parse/ast.js'
import type { Json } from '../types/type.js'
import type { Config, Inner, KeyTable } from './config.js'
import { FLAG, numberIn, OVER_ZERO, oneOf, rule, STRINGS, TEXT, TEXTS, VARIABLE, VARIABLES, WEB_ADDRESS, WORD, wholeFrom } from './rules.js'
import { SANDBOX } from './sandbox.js'

const WORDS_OF_SCOPE = rule(
  'words with a space between them',
  (v) => typeof v === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(v),
)

const keys = (): KeyTable => ({
  command: WORD,
  args: STRINGS,
  env: TEXTS,
  sandbox: SANDBOX,
  url: WEB_ADDRESS,
  token: TEXT,
  token_env: VARIABLE,
  transport: oneOf('sse', 'ws'),
  tools: STRINGS,
  // Names of tools are split at the first colon.
  prefix: rule("a string without ':'", (v) => typeof v === 'string' && v !== '' && !v.includes(':')),
  client_id_env: VARIABLE,
  client_secret_env: VARIABLE,
  scope: WORDS_OF_SCOPE,
  headers: TEXTS,
  headers_env: VARIABLES,
  instructions: FLAG,
  auth: oneOf('query'),
  strict: FLAG,
  trusted: FLAG,
  revision: oneOf('auto', '2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'),
  handshake_timeout: OVER_ZERO,
  timeout: OVER_ZERO,
  cache_ttl: numberIn(0, Number.POSITIVE_INFINITY),
  max_output: wholeFrom(0),
})

const OF_COMMAND = ['args', 'env', 'sandbox']
const OF_URL = ['token', 'token_env', 'transport', 'client_id_env', 'client_secret_env', 'auth', 'scope', 'headers', 'headers_env']

const checkTogether = (config: Config, object: ObjectValue, report: Report): void => {
  const keyOf = (text: string) => object.entries.find(({ key }) => key.text === text)?.key
  const [command, url] = [keyOf('command'), keyOf('url')]
  const fail = (message: string, { span }: Pick<ObjectValue, 'span'>, help?: string) => report(error('config_invalid', message, span, help))
  if (command && url) fail("'command' and 'url' exclude each other: a server is started or reached", url, 'drop one of them')
  if (!command && !url) {
    fail("an MCP server has 'command' or 'url'", object, 'as in { command: "server", args: ["--stdio"] } or { url: "https://host/mcp" }')
  }
  if (command && url) return
  for (const text of url ? OF_COMMAND : command ? OF_URL : []) {
    const key = keyOf(text)
    if (key) fail(`'${text}' is for servers with ${url ? "'command'" : "'url'"}`, key)
  }
  const second = config.has('token') && config.get('token_env')
  if (second) fail("'token' and 'token_env' exclude each other", { span: second.keySpan })
}

export const mcpServer = once((): Inner => ({ what: 'an MCP server', keys: keys(), check: checkTogether }))

/** The servers in `mcp`: those that are given by name have that name as their `prefix`, if no other. */
export const withPrefixes = (impl: AgentImplementation, mcp: Json | undefined): readonly { readonly [key: string]: Json }[] => {
  const written = impl.config.entries.find(({ key }) => key.text === 'mcp')?.value
  if (!Array.isArray(mcp)) return []
  return (mcp as readonly { readonly [key: string]: Json }[]).map((server, i) => {
    const value = written?.kind === 'list' ? written.items[i] : undefined
    return value?.kind === 'name' ? { prefix: value.name.name.text, ...server } : server
  })
}
