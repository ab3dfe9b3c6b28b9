// Converts a network error, or a status, to the error of the call.

import { type Fault, fault, preview, scrub, systemReason } from '@plumb/wire'
import { LinkError } from './link.js'

/** `host` as it is shown. */
export const networkFault = (host: string, error: unknown): Fault => {
  const given = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (given instanceof LinkError) return given.fault
  const { code, message } = given as NodeJS.ErrnoException
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
    return fault('timeout', `${host} did not take the connection in time`, { host })
  return fault('connection_failed', `${host}: ${why(given as Error, code ?? '', message)}`, { host })
}

const why = (error: Error, code: string, message: string | undefined): string => {
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET') return 'the connection broke off'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `no address is known for this name (${code})`
  if (/CERT|SIGNED|SIGNATURE|CRL/.test(code)) return `its certificate is not accepted (${code})`
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return `no TLS there, or one that is not understood (${code})`
  if (code.startsWith('E')) return systemReason(error as NodeJS.ErrnoException)
  return preview(scrub(message ?? ''), 200)
}

export interface RefusedRequest {
  readonly host: string
  readonly status: number
  /** The response body, as far as it was read. */
  readonly text: string
  readonly retryAfter?: string | null
  /** The handshake is done. */
  readonly isOpen: boolean
  /** A key was sent: a token, or headers of its entry. */
  readonly hasKey?: boolean
  /** Its `WWW-Authenticate`. */
  readonly challenge?: string | null
}

/** `mcp_dead` if the server, or the session, is gone. */
export const statusFault = ({ host, status, text, retryAfter, isOpen, hasKey = false, challenge }: RefusedRequest): Fault => {
  const said = text.trim() === '' ? '' : `: ${preview(scrub(text.trim()), 300)}`
  const extras = { host, status }
  if (status === 401 || status === 403)
    return fault('unauthorized', `${host} ${unauthorized(status, hasKey)} (${status})${said}${remedy(hasKey, challenge)}`, extras)
  if (status === 404 && isOpen) return fault('mcp_dead', `${host} no longer knows this session (404)${said}`, extras)
  if (status === 404 || status === 405)
    return fault(
      'bad_reply',
      `no MCP server answers at this path of ${host} (${status})${said}; an older one needs transport: "sse"`,
      extras,
    )
  if (status === 429) {
    const seconds = /^\d{1,6}$/.test(retryAfter ?? '') ? { retry_after: Number(retryAfter) } : {}
    return fault('rate_limited', `${host} asks for fewer requests (429)${said}`, { ...extras, ...seconds })
  }
  // A gateway does not know whether the tool has run: repeating the call might run it twice.
  if (isOpen && (status === 502 || status === 504))
    return fault('mcp_dead', `${host} does not know what became of the request (${status})${said}`, extras)
  if (isOpen && status >= 500) return fault('mcp_dead', `${host} answered with status ${status}${said}`, extras)
  if (status === 502 || status === 503 || status === 504) return fault('overloaded', `${host} cannot answer now (${status})${said}`, extras)
  if (status >= 500) return fault('connection_failed', `${host} answered with status ${status}${said}`, extras)
  return fault('bad_reply', `${host} answered with status ${status}${said}`, extras)
}

// A firewall answers 403, too.
const unauthorized = (status: number, hasKey: boolean): string => {
  if (status === 403) return `refuses this client${hasKey ? ', or what its key may do' : ', which has sent no key'}`
  return hasKey ? 'does not accept the key for its MCP server' : 'wants a key for its MCP server, and none is given'
}

const remedy = (hasKey: boolean, challenge: string | null | undefined): string => {
  if (hasKey) return ''
  const [, metadata] = /resource_metadata="([^"]+)"/.exec(challenge ?? '') ?? []
  const where = metadata === undefined ? '' : ` (${preview(scrub(metadata), 200)} says who gives tokens)`
  return `; give it with token_env, headers_env, or client_id_env and client_secret_env${where}`
}
