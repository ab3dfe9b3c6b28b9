// Fetches a URL and follows redirects; each hop is checked like the first URL.

import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { publicAddresses, type ResolveHost, resolveBySystem } from '@plumb/sandbox'
import { type Fault, fail, fault, preview, type Result, scrub, succeed } from '@plumb/wire'
import { checkUrl } from './check-url.js'
import type { HostPermission } from './host-permission.js'
import { readReplyBody, sendRequest, type WebReply } from './request.js'

export interface FetchedReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
  /** All requested URLs; the last one is the source of the bytes. */
  readonly hops: readonly URL[]
}

interface FetchRequest {
  readonly url: string
  /** The URLs that led here, such as those of a page that leads on by itself. */
  readonly before?: readonly URL[]
  readonly headers: Readonly<Record<string, string>>
}

export interface FollowOptions {
  readonly gate: HostPermission
  readonly signal: AbortSignal
  readonly resolve?: ResolveHost
  /** Of the call that it is made for, where the run is traced. */
  readonly traceparent?: string | undefined
}

const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Headers that are sent to every host; others go only to the origin that was asked for. */
const FOR_ALL = new Set(['accept', 'accept-language', 'user-agent', 'accept-encoding', 'traceparent'])
const OWN = { 'user-agent': 'plumb-tool', 'accept-encoding': 'gzip, deflate, br' }

export const followRedirects = async (
  { url, headers, before = [] }: FetchRequest,
  { gate, signal, resolve, traceparent }: FollowOptions,
): Promise<Result<FetchedReply>> => {
  const hops = [...before]
  let next = before.length === 0 ? checkUrl(url, gate.mayReachPrivateNet) : checkRedirect(url, hops, gate.mayReachPrivateNet)
  let sent: Readonly<Record<string, string>> = { ...OWN, ...(traceparent === undefined ? {} : { traceparent }), ...headers }
  for (;;) {
    if (!next.ok) return next
    const target: URL = next.value
    const last = hops.at(-1)
    if (last && last.origin !== target.origin) sent = Object.fromEntries(Object.entries(sent).filter(([name]) => FOR_ALL.has(name)))
    hops.push(target)
    const reply = await requestHop(target, sent, { gate, signal, ...(resolve ? { resolve } : {}) })
    if (!reply.ok) return reply
    const { status, headers: received, close } = reply.value
    try {
      const location = received.location
      if (!REDIRECTS.has(status) || location === undefined) {
        const bytes = await readReplyBody(reply.value)
        return bytes.ok ? succeed({ status, headers: received, bytes: bytes.value, hops }) : bytes
      }
      next = checkRedirect(escapeBytes(location), hops, gate.mayReachPrivateNet)
    } catch (error) {
      return { ok: false, error: toFault(error, target, signal) }
    } finally {
      close()
    }
  }
}

const requestHop = async (
  url: URL,
  headers: Readonly<Record<string, string>>,
  { gate, signal, resolve }: FollowOptions,
): Promise<Result<WebReply>> => {
  const entered = await gate.enter(url)
  if (!entered.ok) return entered
  try {
    const addresses = await resolveReachable(url, gate, resolve)
    return addresses.ok ? succeed(await sendRequest(url, headers, addresses.value, signal)) : addresses
  } catch (error) {
    return { ok: false, error: toFault(error, url, signal) }
  }
}

/** Headers are read as Latin-1. What is not ASCII in an address goes back as the bytes that came, as browsers and curl do it. */
export const escapeBytes = (header: string): string =>
  header.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)

const checkRedirect = (location: string, hops: readonly URL[], mayReachPrivateNet: boolean): Result<URL> => {
  const from = hops.at(-1)
  // Location may be relative, and some servers put spaces around it.
  const text = URL.canParse(location.trim(), from?.href) && !location.includes('\\') ? new URL(location.trim(), from).href : location
  const target = checkUrl(text, mayReachPrivateNet)
  if (!target.ok)
    return { ok: false, error: { ...target.error, detail: `a redirect of ${from?.host} is not followed: ${target.error.detail}` } }
  if (from?.protocol === 'https:' && target.value.protocol === 'http:') {
    return fail('address_denied', `a redirect of ${from.host} from https: to http: is not followed`, { location: preview(text, 200) })
  }
  if (hops.some(({ href }) => href === target.value.href))
    return fail('bad_reply', `the redirects of ${hops[0]?.host} go round in a circle`)
  if (hops.length > MAX_REDIRECTS) return fail('bad_reply', `${hops[0]?.host} redirects more than ${MAX_REDIRECTS} times`)
  return target
}

const toFault = (error: unknown, { host }: URL, signal: AbortSignal): Fault => {
  const { code: given, message = '' } = error as { code?: unknown; message?: string }
  const code = typeof given === 'string' ? given : ''
  const isLate = /TIMEOUT|ETIMEDOUT/.test(code)
  const damaged = code.startsWith('Z_') || code.startsWith('ERR_BR') || code.startsWith('ERR__ERROR')
  const why = scrub(preview(message === '' ? code : message, 200))
  const failure = signal.aborted
    ? fail('cancelled', `asking ${host} was cancelled`)
    : damaged
      ? fail('bad_reply', `what ${host} sent cannot be unpacked: ${why}`)
      : fail(isLate ? 'timeout' : 'connection_failed', `${host} ${isLate ? 'does not answer' : 'cannot be read'}: ${why}`, { host })
  return (failure as { error: Fault }).error
}

/** The addresses of a host that may be reached: the public ones, or private ones if `net.private` is granted and the policy allows it. */
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
