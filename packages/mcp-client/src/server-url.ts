// The address of a server and its keys, from the entry of a spec and the environment.

import { addSecret, type Fault, fail, preview, type Result, succeed } from '@plumb/wire'
import type { ServerConfig } from './connection.js'
import { readHeaders } from './server-headers.js'

export interface ServerTarget {
  /** With the client's id and secret, if `auth: "query"` puts them there: not to be shown. */
  readonly url: URL
  /** Of each request to it: its token, and those of its entry; in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly client?: { readonly id: string; readonly secret: string; readonly scope: string | undefined }
  /** Optional variables that are not set. */
  readonly warnings: readonly Fault[]
}

const SCHEMES: Readonly<Record<string, readonly string[]>> = { ws: ['ws:', 'wss:', 'http:', 'https:'] }
const HTTP = ['http:', 'https:']

/** `config_invalid` for an invalid address, `missing_key` for a required variable that is not set. */
export const readTarget = (config: ServerConfig, env: NodeJS.ProcessEnv = process.env): Result<ServerTarget> => {
  const { url: text = '', transport, token_env, client_id_env, client_secret_env, auth } = config
  if (!URL.canParse(text))
    return fail('config_invalid', `'${preview(text)}' is not a URL of an MCP server, such as https://example.org/mcp`)
  const url = new URL(text)
  const schemes = SCHEMES[transport ?? ''] ?? HTTP
  if (!schemes.includes(url.protocol)) {
    return fail(
      'config_invalid',
      `the URL of an MCP server begins with ${schemes.map((name) => `${name}//`).join(' or ')}, not with '${preview(url.protocol)}//'`,
    )
  }
  if (url.username !== '' || url.password !== '')
    return fail('config_invalid', `the URL of the MCP server at ${url.host} has a user or password in it: use token or token_env`)

  const token = config.token ?? read(env, token_env)
  if (token_env !== undefined && token === undefined) return unset(token_env, url, 'token_env')
  const [id, secret] = [read(env, client_id_env), read(env, client_secret_env)]
  const lacking = [
    ...(client_id_env !== undefined && id === undefined ? [unset(client_id_env, url, 'client_id_env')] : []),
    ...(client_secret_env !== undefined && secret === undefined ? [unset(client_secret_env, url, 'client_secret_env')] : []),
  ]
  const [first] = lacking
  // They are added to the address if they are set; a token needs both.
  if (first && auth !== 'query') return first
  for (const key of [token, secret]) if (key !== undefined) addSecret(key)
  if (auth === 'query') {
    if (id !== undefined) url.searchParams.set('client_id', id)
    if (secret !== undefined) {
      url.searchParams.set('client_secret', secret)
      addSecret(encodeURIComponent(secret))
    }
  }
  // A header must be one line, so that its value cannot add another.
  if (token !== undefined && /[^\x21-\x7e]/.test(token))
    return fail('config_invalid', `the token for ${url.host} has a space or a character in it that no header can carry`)
  const isClient = auth === undefined && id !== undefined && secret !== undefined
  const warnings = lacking.map(({ error }) => ({ ...error, detail: `${error.detail}; it is asked without` }))
  const further = readHeaders(config, url.host, env)
  if (!further.ok) return further
  const headers = { ...further.value, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
  return succeed({ url, warnings, headers, ...(isClient ? { client: { id, secret, scope: config.scope } } : {}) })
}

/** `/mcp` and `/mcp/` are one server. */
export const withoutSlash = (pathname: string): string => pathname.replace(/\/$/, '')

/** Equal for addresses of one server: lower-case host, no default port, no trailing slash, no fragment. */
export const normalised = (text: string): string => {
  const { protocol, username, password, port, hostname, pathname, search } = new URL(text)
  const user = username === '' && password === '' ? '' : `${username}:${password}@`
  return `${protocol}//${user}${hostname.replace(/\.$/, '')}${port === '' ? '' : `:${port}`}${withoutSlash(pathname)}${search}`
}

const read = (env: NodeJS.ProcessEnv, name: string | undefined): string | undefined => {
  const value = name === undefined ? undefined : env[name]?.trim()
  return value === '' ? undefined : value
}

const unset = (name: string, { host }: URL, key: string) =>
  fail('missing_key', `the environment has no ${name}, which ${key} names for the MCP server at ${host}`)
