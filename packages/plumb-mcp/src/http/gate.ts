// Who may speak to the server at all: programs on this machine, and pages that it served itself, by the names that cannot be rebound.

import type { IncomingHttpHeaders } from 'node:http'

export interface Gate {
  /** That the server listens on. */
  readonly port: number
  /** Whoever comes further has to show a token. */
  readonly hasToken: boolean
  /** Of pages that may use it besides, such as `http://localhost:6274`. */
  readonly allowedOrigins: readonly string[]
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** What is wrong with where a request comes from, or what it is addressed to; such requests are answered 403. */
export const foreign = ({ host, origin }: IncomingHttpHeaders, { port, hasToken, allowedOrigins }: Gate): string | undefined => {
  const hosts = LOOPBACK.flatMap((name) => [`${name}:${port}`, ...(port === HTTP_PORT ? [name] : [])])
  if (host === undefined || !hosts.includes(host.toLowerCase())) {
    return `the Host of a request must be 127.0.0.1, localhost or [::1], with the port ${port}`
  }
  if (origin === undefined) return undefined
  const isOwn = hosts.some((name) => origin.toLowerCase() === `http://${name}`)
  if (isOwn || allowedOrigins.includes(origin) || (hasToken && LOCAL_PAGE.test(origin))) return undefined
  return 'pages of another origin may not use this server: --allow-origin names those that may'
}

const HTTP_PORT = 80
const LOCAL_PAGE = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i
