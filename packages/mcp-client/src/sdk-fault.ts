// Converts the SDK's exceptions to our errors. `about` begins the sentence, such as "tool 'x' of MCP server 'y'".

import { type Code, type Fault, fault, isRecord, preview, scrub } from '@plumb/wire'
import { ABANDONED } from './guard.js'
import { LinkError } from './link.js'

export interface FailedRequest {
  readonly about: string
  /** The code for a server's own error: for a tool, that it failed. */
  readonly otherwise: 'tool_crashed' | 'bad_reply'
  readonly server: string
}

export const sdkFault = (error: unknown, { about, otherwise, server }: FailedRequest): Fault => {
  if (error instanceof LinkError) return error.fault
  const { name, message, code, data, issues } = error as {
    name?: string
    message?: string
    code?: unknown
    data?: unknown
    issues?: unknown
  }
  if (isRecord(data) && ABANDONED in data) return (data as { [ABANDONED]: Fault })[ABANDONED]
  const words = preview(scrub((message ?? '').replace(/^((MCP error -?\d+|Streamable HTTP error|SSE error): )+/, '')), 500)
  const [, elsewhere] = /Redirect to (\S+) not followed/.exec(words) ?? []
  if (elsewhere !== undefined)
    return fault('bad_reply', `${about} was pointed on to ${elsewhere}, where no key is sent: name that address if it is meant`, { server })
  if (name === 'McpError' && typeof code === 'number') {
    return fault(CODES.get(code) ?? otherwise, `${about} failed: ${words}`, { server, mcp_code: code })
  }
  if (name === 'UnauthorizedError' || isOAuth(error))
    return fault('unauthorized', `${about}: no token was given for it: ${words}`, { server })
  const [metadata] = Array.isArray(issues) ? issues.flatMap(metadataFlaw) : []
  if (metadata !== undefined)
    return fault(
      'unauthorized',
      `${about}: no token was given for it: the metadata of its authorization server cannot be used: ${metadata}`,
      {
        server,
      },
    )
  if (Array.isArray(issues)) return fault('bad_reply', `${about} got an answer that is not a result of MCP`, { server })
  if (name === 'SyntaxError') return fault('bad_reply', `${about} got an answer that is not JSON`, { server })
  return fault('bad_reply', `${about}: ${words}`, { server })
}

/** Codes of JSON-RPC and MCP for an invalid request. */
const CODES = new Map<number, Code>([
  [-32_602, 'input_type_mismatch'],
  [-32_002, 'no_such_file'],
])

const isOAuth = (error: unknown): boolean =>
  error instanceof Error && (/OAuth/i.test(error.message) || 'errorUri' in error || 'toResponseObject' in error)

/** What the SDK wants of the documents on the way to a token (RFC 8414, RFC 9728, OpenID Connect Discovery). */
const METADATA: ReadonlySet<unknown> = new Set([
  ...['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri', 'response_types_supported', 'subject_types_supported'],
  ...['id_token_signing_alg_values_supported', 'resource', 'authorization_servers', 'scopes_supported'],
  ...['access_token', 'token_type', 'expires_in'],
])

const metadataFlaw = (issue: unknown): readonly string[] => {
  const { path, message } = issue as { path?: readonly unknown[]; message?: string }
  return METADATA.has(path?.[0]) ? [preview(scrub(`'${String(path?.[0])}': ${message ?? 'is missing'}`), 200)] : []
}
