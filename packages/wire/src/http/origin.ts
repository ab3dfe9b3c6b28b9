// Who may send requests to a server on this machine: programs on it, and pages that the server served itself, by host names that cannot be
// rebound.

import type { IncomingHttpHeaders } from 'node:http'

export interface OriginPolicy {
  /** A request that passes this check must still show a token. */
  readonly hasToken: boolean
  /** Allowed origins of other pages, such as `http://localhost:6274`. */
  readonly allowedOrigins: readonly string[]
}

// Any port is accepted, since ssh and containers forward from others. A rebound name is none of these.
const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i
const LOCAL_PAGE = /^(https?):\/\/(?:localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i

/** Why the origin or the host of a request is refused; the request is answered 403. */
export const whyForeign = ({ host, origin }: IncomingHttpHeaders, { hasToken, allowedOrigins }: OriginPolicy): string | undefined => {
  const addressed = LOCAL_HOST.exec(host ?? '')
  if (!addressed) return 'the Host of a request must be 127.0.0.1, localhost or [::1], with or without a port'
  if (origin === undefined || allowedOrigins.includes(origin)) return undefined
  const page = LOCAL_PAGE.exec(origin)
  const isOwn = page?.[1]?.toLowerCase() === 'http' && (page[2] ?? HTTP_PORT) === (addressed[1] ?? HTTP_PORT)
  if (isOwn || (page && hasToken)) return undefined
  return FOREIGN_PAGE
}

export const FOREIGN_PAGE = 'pages of another origin may not use this server: --allow-origin names those that may'

const HTTP_PORT = ':80'
