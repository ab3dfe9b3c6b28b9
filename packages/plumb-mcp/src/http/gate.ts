// Who may speak to the server at all: programs on this machine, and pages that it served itself, by the names that cannot be rebound.

import type { IncomingHttpHeaders } from 'node:http'

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** What is wrong with where a request comes from, or what it is addressed to; such requests are answered 403. */
export const foreign = ({ host, origin }: IncomingHttpHeaders): string | undefined => {
  if (host === undefined || !isLoopback(`http://${host}`))
    return 'the Host of a request must be a name of this machine: 127.0.0.1, localhost or [::1]'
  if (origin !== undefined && !isLoopback(origin)) return 'pages of another origin may not use this server'
  return undefined
}

const isLoopback = (origin: string): boolean => {
  if (!URL.canParse(origin)) return false
  const { protocol, hostname, pathname, username, password, search, hash } = new URL(origin)
  const isBare = pathname === '/' && username + password + search + hash === ''
  return (protocol === 'http:' || protocol === 'https:') && isBare && LOOPBACK.has(hostname)
}
