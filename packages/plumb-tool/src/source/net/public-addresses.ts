// Which addresses are of the public net, by the registries that ipaddr.js knows: those that forbid nothing, and no way round them.

import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import type { IPv6 } from 'ipaddr.js'

/** `address` as the system or a URL has it. What is not understood is not public. */
export const publicAddresses = async (): Promise<(address: string) => boolean> => {
  const { isValid, parse } = await import('ipaddr.js')
  return (address) => {
    if (!isValid(address)) return false
    const ip = parse(address)
    return ip.kind() === 'ipv6' ? isPublicV6(ip as IPv6) : ip.range() === 'unicast'
  }
}

/** Only 2000::/3 is given out; what else is there, as NAT64 and mapped addresses, leads to another net. */
const isPublicV6 = (ip: IPv6): boolean => {
  if (ip.isIPv4MappedAddress()) return ip.toIPv4Address().range() === 'unicast'
  return ip.range() === 'unicast' && ((ip.parts[0] ?? 0) & 0xe000) === 0x2000
}

export type ResolveHost = (hostname: string) => Promise<readonly LookupAddress[]>

export const resolveBySystem: ResolveHost = (hostname) => lookup(hostname, { all: true, verbatim: true })

/** For the socket: it gets what was found before, whatever the name has come to mean since. */
export const fixedLookup =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_hostname, options, callback) => {
    const [first] = addresses
    if (options.all) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
