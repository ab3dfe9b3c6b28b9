// Connects a sandboxed program to a host if it may reach it. Names are resolved outside the sandbox, each address is checked, and the
// socket connects to a checked address.

import type { LookupAddress } from 'node:dns'
import { connect, isIP, type Socket } from 'node:net'
import { type Host, type HostPattern, isHostOf } from '@plumb/lang'
import { type Fault, fail, fault, type Result, startDeadline, succeed, systemReason } from '@plumb/wire'
import { fixedLookup, publicAddresses, type ResolveHost, resolveBySystem } from './public-addresses.js'

export interface ConnectPolicy {
  /** Why a host may not be reached at all (`net`), or not at a private address (`net.private`); undefined if it may. */
  readonly denies: (effect: 'net' | 'net.private', host: string) => Fault | undefined
  /** As in "tool 'fetch'". */
  readonly who: string
  readonly resolve?: ResolveHost
  readonly connectTimeoutMs?: number
}

/** A host and port to connect to. */
export interface HostTarget extends Host {
  readonly port: number
}

export interface HostConnector {
  /** Refuses hosts that are not listed or denied before any lookup. */
  open(target: HostTarget, signal: AbortSignal): Promise<Result<Socket>>
}

const CONNECT_TIMEOUT_MS = 15_000
const KEEP_ALIVE_MS = 60_000

export const openHostConnector = (hosts: readonly HostPattern[], policy: ConnectPolicy): HostConnector => {
  const { connectTimeoutMs = CONNECT_TIMEOUT_MS } = policy
  return {
    open: async (target, signal) => {
      const listed = hosts.filter((pattern) => isHostOf(pattern, target))
      if (listed.length === 0) return { ok: false, error: refuseUnlisted(target, policy) }
      const denied = policy.denies('net', target.host)
      if (denied) return { ok: false, error: denied }
      return new Promise((done) => {
        const stop = startDeadline(connectTimeoutMs, () =>
          settle(fail('timeout', `${showTarget(target)} was not connected in ${connectTimeoutMs} ms`)),
        )
        let socket: Socket | undefined
        let isSettled = false
        const settle = (result: Result<Socket>): void => {
          if (isSettled) return
          isSettled = true
          stop()
          signal.removeEventListener('abort', onAbort)
          if (!result.ok) socket?.destroy()
          done(result)
        }
        const onAbort = (): void => settle(fail('cancelled', `nothing waits for ${showTarget(target)} any more`))
        signal.addEventListener('abort', onAbort)
        void checkAddresses(target, listed, policy).then(
          (addresses) => {
            if (isSettled) return
            if (!addresses.ok) return settle(addresses)
            socket = dial(target, addresses.value)
            socket.once('connect', () => settle(succeed(socket as Socket)))
            socket.on('error', (error) => settle(refuseUnreachable(target, error)))
          },
          (error: Error) => settle(refuseUnreachable(target, error)),
        )
        if (signal.aborted) onAbort()
      })
    },
  }
}

export const showTarget = ({ host, port }: HostTarget): string => `${host}:${port}`

/** The addresses that may be used; `listed` are the patterns of the spec that match the host. */
export const checkAddresses = async (
  target: HostTarget,
  listed: readonly HostPattern[],
  policy: ConnectPolicy,
): Promise<Result<readonly LookupAddress[]>> => {
  const { denies, resolve = resolveBySystem } = policy
  const bare = target.host.replace(/^\[(.*)\]$/, '$1')
  const all = target.isAddress ? [{ address: bare, family: isIP(bare) }] : await resolve(bare)
  if (all.length === 0) return fail('connection_failed', `${showTarget(target)} has no address`)
  const isPublic = await publicAddresses()
  const open = all.filter(({ address }) => isPublic(address))
  // A literal address counts as private: no domain owner vouches for it.
  if (!target.isAddress && open.length > 0) return succeed(open)
  const isGranted = denies('net.private', target.host) === undefined
  const isNamed = listed.some(({ isBelow }) => !isBelow)
  if (isGranted && isNamed) return succeed(all)
  return { ok: false, error: refusePrivate(target, policy, isGranted) }
}

const dial = (target: HostTarget, addresses: readonly LookupAddress[]): Socket => {
  const host = target.host.replace(/^\[(.*)\]$/, '$1')
  const socket = connect({ host, port: target.port, lookup: fixedLookup(addresses), allowHalfOpen: true, noDelay: true })
  socket.setKeepAlive(true, KEEP_ALIVE_MS)
  return socket
}

const refuseUnlisted = (target: HostTarget, { who }: ConnectPolicy): Fault => {
  const asked = target.port === 443 || target.port === 80 ? target.host : showTarget(target)
  return fault('address_denied', `the sandbox of ${who} has not '${showTarget(target)}' in 'net': add "${asked}" there, if it is meant`, {
    host: target.host,
  })
}

const refusePrivate = (target: HostTarget, { who }: ConnectPolicy, isGranted: boolean): Fault => {
  const is = target.isAddress ? 'is an address, not a name' : 'leads to a private or local address'
  const why = isGranted ? "'net' of its sandbox has it by a pattern: name the host itself there" : 'net.private is not granted'
  return fault('address_denied', `'${showTarget(target)}', which ${who} asks for, ${is}, and ${why}`, { host: target.host })
}

const refuseUnreachable = (target: HostTarget, error: NodeJS.ErrnoException | AggregateError): Result<never> => {
  const [first = error] = (error as AggregateError).errors ?? []
  return fail('connection_failed', `${showTarget(target)} cannot be reached: ${systemReason(first as NodeJS.ErrnoException)}`)
}
