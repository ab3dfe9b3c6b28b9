// Which addresses are public, by the IANA registries in ipaddr.js, and how names are resolved so that only checked addresses are used.

import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import type { IPv6 } from 'ipaddr.js'

/** `address` as the system or a URL writes it. Anything that cannot be parsed is not public. */
export const publicAddresses = async (): Promise<(address: string) => boolean> => {
  const { isValid, parse } = await import('ipaddr.js')
  return (address) => {
    if (!isValid(address)) return false
    const ip = parse(address)
    return ip.kind() === 'ipv6' ? isPublicV6(ip as IPv6) : ip.range() === 'unicast'
  }
}

/** Only 2000::/3 is global unicast; NAT64, mapped and other addresses lead to another network. */
const isPublicV6 = (ip: IPv6): boolean => {
  if (ip.isIPv4MappedAddress()) return ip.toIPv4Address().range() === 'unicast'
  return ip.range() === 'unicast' && ((ip.parts[0] ?? 0) & 0xe000) === 0x2000
}

export type ResolveHost = (hostname: string) => Promise<readonly LookupAddress[]>

export const resolveBySystem: ResolveHost = (hostname) => lookup(hostname, { all: true, verbatim: true })

/** A lookup function for sockets that returns these addresses, so that the name is not resolved again. */
export const fixedLookup =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_hostname, options, callback) => {
    const [first] = addresses
    if (options.all) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
