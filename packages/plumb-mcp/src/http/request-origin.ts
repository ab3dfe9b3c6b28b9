// Who may speak to the server at all: programs on this machine, and pages that it served itself, by the names that cannot be rebound.

import type { IncomingHttpHeaders } from 'node:http'

export interface OriginPolicy {
  /** A request that passes this check has to show a token. */
  readonly hasToken: boolean
  /** Of pages that may use it besides, such as `http://localhost:6274`. */
  readonly allowedOrigins: readonly string[]
}

// Of any port: ssh and containers forward from others. A name that was rebound is none of these.
const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i
const LOCAL_PAGE = /^(https?):\/\/(?:localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i

/** What is wrong with where a request comes from, or what it is addressed to; such requests are answered 403. */
export const whyForeign = ({ host, origin }: IncomingHttpHeaders, { hasToken, allowedOrigins }: OriginPolicy): string | undefined => {
  const addressed = LOCAL_HOST.exec(host ?? '')
  if (!addressed) return 'the Host of a request must be 127.0.0.1, localhost or [::1], with or without a port'
  if (origin === undefined || allowedOrigins.includes(origin)) return undefined
  const page = LOCAL_PAGE.exec(origin)
  const isOwn = page?.[1]?.toLowerCase() === 'http' && (page[2] ?? HTTP_PORT) === (addressed[1] ?? HTTP_PORT)
  if (isOwn || (page && hasToken)) return undefined
  return 'pages of another origin may not use this server: --allow-origin names those that may'
}

const HTTP_PORT = ':80'
