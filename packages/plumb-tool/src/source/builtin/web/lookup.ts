// Names to addresses, of which only those come out that may be reached: what is connected to is what was judged.

import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { type Fault, fault, type Result, succeed } from '@plumb/wire'
import type { HostPermission } from './host-permission.js'
import { publicAddresses } from './public-addresses.js'
import { type ResolveHost, resolveBySystem } from './resolve.js'

/** An address as such is never looked up, so it is judged before. Of several addresses the public ones stay. */
export const resolveReachable = async (
  url: URL,
  gate: HostPermission,
  resolve: ResolveHost = resolveBySystem,
): Promise<Result<readonly LookupAddress[]>> => {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const family = isIP(host)
  const all = family === 0 ? await resolve(host) : [{ address: host, family }]
  const isPublic = await publicAddresses()
  const open = all.filter(({ address }) => isPublic(address))
  if (open.length > 0 || all.length === 0) return succeed(open)
  if (!gate.mayReachPrivateNet) return { ok: false, error: denied(url) }
  const entered = await gate.enterPrivate(url)
  return entered.ok ? succeed(all) : entered
}

const denied = ({ hostname }: URL): Fault =>
  fault('address_denied', `'${hostname}' is a private or local address, or leads to one, and net.private is not granted`, {
    host: hostname,
  })
