// What the system says of a name, and sockets that ask it no second time.

import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'

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
