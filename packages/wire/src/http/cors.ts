// Cross-origin requests of pages that may use the server (Fetch, CORS protocol): which may read what is answered, whatever it is. Never with
// credentials of the browser.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'

/** What the server takes and tells beyond the headers that every page may use. */
export interface CorsNames {
  readonly methods: readonly string[]
  /** Headers of its answers that pages may read. */
  readonly exposed: readonly string[]
  /** Headers of requests. */
  readonly allowed: readonly string[]
}

/** To be called for a request whose origin is allowed. True: it was only a question whether a request may be made, and is answered. */
export const allowOrigin = ({ headers, method }: IncomingMessage, response: ServerResponse, names: CorsNames): boolean => {
  // The answer differs for each, also for what keeps answers.
  response.setHeader('vary', 'Origin')
  const { origin } = headers
  if (origin === undefined) return false
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', names.exposed.join(', '))
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false
  response.writeHead(204, {
    'access-control-allow-methods': names.methods.join(', '),
    'access-control-allow-headers': allowedHeaders(headers, names.allowed).join(', '),
    'access-control-max-age': '600',
    // Of a public page to this machine.
    ...(headers['access-control-request-private-network'] === 'true' ? { 'access-control-allow-private-network': 'true' } : {}),
  })
  response.end()
  return true
}

const USUAL: readonly string[] = ['authorization', 'content-type', 'accept', 'last-event-id', 'traceparent', 'tracestate']

// A tool's parameters, and proxies before the server, have headers of their own.
const allowedHeaders = (
  { 'access-control-request-headers': wanted = '' }: IncomingHttpHeaders,
  own: readonly string[],
): readonly string[] => {
  const names = wanted.split(',').map((name) => name.trim().toLowerCase())
  return [...new Set([...USUAL, ...own, ...names.filter((name) => TOKEN.test(name)).slice(0, MAX_WANTED)])]
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/
const MAX_WANTED = 50
