// The further headers of requests to a remote server: from the entry of a spec, and from the environment.

import { addSecret, fail, isSecretName, preview, type Result, succeed } from '@plumb/wire'
import type { ServerConfig } from './connection.js'

/** Headers of the protocol, and of the connection, which are set here. */
const OURS: ReadonlySet<string> = new Set([
  ...['accept', 'content-type', 'content-length', 'content-encoding', 'host', 'connection', 'keep-alive', 'transfer-encoding', 'upgrade'],
  ...['te', 'trailer', 'expect', 'last-event-id', 'mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name'],
])

/** `host` is the server's, for errors. `config_invalid` for what no header can be, `missing_key` for a variable that is not set. */
export const readHeaders = (
  { headers = {}, headers_env = {}, token, token_env, client_id_env, auth }: ServerConfig,
  host: string,
  env: NodeJS.ProcessEnv,
): Result<Readonly<Record<string, string>>> => {
  const hasToken = token !== undefined || token_env !== undefined || (client_id_env !== undefined && auth === undefined)
  const made: Record<string, string> = {}
  const entries = [
    ...Object.entries(headers).map(([name, value]) => ({ name, value, key: 'headers' })),
    ...Object.entries(headers_env).map(([name, variable]) => ({ name, variable, value: env[variable]?.trim(), key: 'headers_env' })),
  ]
  for (const { name, value, key, ...from } of entries) {
    const refuse = (why: string) => fail('config_invalid', `'${key}' of the MCP server at ${host}: ${why}`)
    const lower = name.toLowerCase()
    if (!TOKEN.test(name)) return refuse(`'${preview(name)}' is not a name of a header: expected letters, digits and '-'`)
    if (OURS.has(lower)) return refuse(`'${name}' is set by the protocol: leave it out`)
    if (lower === 'authorization' && hasToken) return refuse(`'${name}' and a token exclude each other: leave one out`)
    if (Object.hasOwn(made, lower)) return refuse(`'${name}' stands there twice`)
    if (value === undefined || (value === '' && 'variable' in from)) {
      const variable = 'variable' in from ? from.variable : ''
      return fail('missing_key', `the environment has no ${variable}, which headers_env names for '${name}' of the MCP server at ${host}`)
    }
    if (key === 'headers_env' || isSecretName(name) || SECRET.test(lower)) addSecret(value)
    // One line, so that a value cannot add another header.
    if (!/^[\t\x20-\x7e]*$/.test(value)) return refuse(`the value of '${name}' has a line end or a character that no header can have`)
    made[lower] = value
  }
  return succeed(made)
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const SECRET = /authorization|cookie|key|token|secret/
