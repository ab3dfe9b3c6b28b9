// The connections to one remote server: to permitted addresses, through the proxy of the environment if the spec itself names the server,
// and bounded.

import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { publicAddresses } from '@plumb/sandbox'
import { fault, MAX_LINE, proxiesOf } from '@plumb/wire'
import type { Dispatcher } from 'undici'
import { LinkError } from './link.js'

const CONNECT_MS = 10_000
const LOCAL = /^(localhost|.*\.localhost|127\..*|\[?::1\]?)$/

/**
 * `server` may be private if `allowsPrivateNet`; other hosts, to which it may refer for its tokens, never. `failed` is called with the
 * reason of a failed connection, where undici does not pass it on.
 */
export const openHttpDispatcher = async (server: URL, allowsPrivateNet: boolean, failed = (_: Error): void => {}): Promise<Dispatcher> => {
  const { Agent, EnvHttpProxyAgent, buildConnector } = await import('undici')
  const isPublic = await publicAddresses()
  const mayReach = (host: string, address: string): boolean => (allowsPrivateNet && host === bare(server.hostname)) || isPublic(address)

  // An answer may take as long as the call has time, and streams may be silent.
  const limits = { headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: 64 * 1024, webSocket: { maxPayloadSize: MAX_LINE } }
  const proxies = allowsPrivateNet && !LOCAL.test(server.hostname) ? proxiesOf(process.env) : undefined
  // The proxy connects in our place, so it would have to decide.
  if (proxies) return new EnvHttpProxyAgent({ ...limits, connect: { timeout: CONNECT_MS }, ...proxies })

  const permittedLookup =
    (host: string): LookupFunction =>
    (name, options, callback) =>
      lookup(name, { ...options, all: true }, (error, all) => {
        const open = error ? [] : all.filter(({ address }) => mayReach(host, address))
        const [first] = open
        if (error || !first) return callback(error ?? denied(host), '', 0)
        if (options.all) callback(null, open)
        else callback(null, first.address, first.family)
      })
  return new Agent({
    ...limits,
    connect: (options, callback) => {
      const host = bare(options.hostname)
      const fail = (error: Error): void => {
        failed(error)
        callback(error, null)
      }
      // A literal address is never looked up.
      if (isIP(host) !== 0 && !mayReach(host, host)) return fail(denied(host))
      const connect = buildConnector({ timeout: CONNECT_MS, lookup: permittedLookup(host) })
      connect(options, (error, socket) => (socket ? callback(null, socket) : fail(error ?? new Error('no connection'))))
    },
  })
}

const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')

const denied = (host: string): LinkError =>
  new LinkError(
    fault('address_denied', `'${host}' is a private or local address, or leads to one, and net.private is not granted`, { host }),
  )
