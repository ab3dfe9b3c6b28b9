// What of a message's headers goes on to the next: not what is of one connection, nor the host, which is that of the URL.

import type { IncomingMessage } from 'node:http'

const OF_CONNECTION = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'proxy-authentication-info'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect', 'host'],
])

/** Name after value, as they came. With `asked`, those of a request, whose body is framed anew as it was. */
export const forwardHeaders = (raw: readonly string[], asked?: IncomingMessage): string[] => {
  const pairs = Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i] ?? '', raw[2 * i + 1] ?? ''] as const)
  const named = new Set(
    pairs
      .flatMap(([name, value]) => (name.toLowerCase() === 'connection' ? value.split(',') : []))
      .map((word) => word.trim().toLowerCase()),
  )
  const kept = pairs.filter(([name]) => {
    const low = name.toLowerCase()
    // A connection's own words do not decide how long a body is.
    return !OF_CONNECTION.has(low) && (!named.has(low) || low === 'content-length')
  })
  return [...kept.flat(), ...(asked ? framing(asked) : [])]
}

// Node would send the body of some methods without saying where it ends.
const framing = ({ method = 'GET', headers }: IncomingMessage): readonly string[] => {
  if (headers['transfer-encoding'] !== undefined) return ['Transfer-Encoding', 'chunked']
  const hasBody = headers['content-length'] !== undefined || ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'].includes(method)
  return hasBody ? [] : ['Content-Length', '0']
}
