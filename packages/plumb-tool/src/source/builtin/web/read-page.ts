// Reads a page as a document: from the cache while it is fresh, after revalidation, or from its server.

import { type Code, type Fault, fault, preview, type Result, succeed } from '@plumb/wire'
import type { LRUCache } from 'lru-cache'
import type { BuiltinContext } from '../builtin.js'
import { decodeText } from './decode-text.js'
import { type PageDocument, readDocument } from './document.js'
import { type FetchedReply, type FollowOptions, followRedirects } from './follow-redirects.js'
import { openHostPermission } from './host-permission.js'

export interface Page {
  readonly document: PageDocument
  readonly hops: readonly URL[]
}

const ACCEPT = 'text/markdown, text/html, application/xhtml+xml, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5'

export const readPage = async (url: URL, context: BuiltinContext, resolve?: FollowOptions['resolve']): Promise<Result<Page>> => {
  const { signal, session, traceparent } = context.call
  const gate = openHostPermission(context)
  const cache = await pageCache()
  // A page read with `net.private` is not served to callers without it.
  const key = `${context.mayReachPrivateNet} ${url.href.split('#')[0]}`
  const kept = cache.get(key)
  if (kept && session.nowMs() < kept.freshUntilMs) {
    for (const hop of kept.hops) {
      const entered = await gate.enter(hop)
      if (!entered.ok) return entered
    }
    return succeed(kept)
  }
  const options = { gate, signal, traceparent, ...(resolve ? { resolve } : {}) }
  const fetched = await followRedirects({ url: url.href, headers: { accept: ACCEPT, ...(kept ? ifChanged(kept) : {}) } }, options)
  if (!fetched.ok) return fetched
  const fresh = freshMs(fetched.value.headers['cache-control'] ?? '')
  if (kept && fetched.value.status === 304) {
    return succeed(keep(cache, key, { ...kept, freshUntilMs: session.nowMs() + (fresh ?? 0) }))
  }
  const arrived = await arrive(fetched.value, options)
  if (!arrived.ok) return arrived
  const { reply, isRefused, ...page } = arrived.value
  const stays = Math.min(
    ...[fetched.value, reply].map(({ headers }) => freshMs(headers['cache-control'] ?? '') ?? Number.NEGATIVE_INFINITY),
  )
  // What the first reply was like says nothing about a page that it led on to.
  const state = reply === fetched.value ? reply.headers : {}
  const found = { ...page, etag: state.etag, lastModified: state['last-modified'] }
  // Another caller may be allowed what this one is not.
  if (stays < 0 || isRefused) cache.delete(key)
  else keep(cache, key, { ...found, freshUntilMs: session.nowMs() + stays })
  return succeed(found)
}

/** A page that leads on by itself later than this is read itself. In seconds. */
const MAX_WAIT = 10

interface Arrived extends Page {
  readonly reply: FetchedReply
  /** It leads on to a place that was not asked. */
  readonly isRefused: boolean
}

/** The page that a reader ends up with. What leads to nowhere that may be reached is shown, and says so. */
const arrive = async (first: FetchedReply, options: FollowOptions): Promise<Result<Arrived>> => {
  let reply = first
  for (;;) {
    if (!isSuccess(reply.status)) return { ok: false, error: pageStatusFault(reply) }
    const document = await readDocument(reply, options.signal)
    if (!document.ok) return document
    const { hops } = reply
    const { refresh } = document.value
    if (!refresh || refresh.seconds > MAX_WAIT) return succeed({ document: document.value, hops, reply, isRefused: false })
    const next = await followRedirects({ url: refresh.url, headers: { accept: ACCEPT }, before: hops }, options)
    if (next.ok) reply = next.value
    else if (next.error.category !== 'denied' && next.error.error !== 'bad_reply') return next
    else {
      const text = `${document.value.text.trimEnd()}\n\n[It leads on to ${preview(refresh.url, 200)}, which was not asked for: ${next.error.detail}.]\n`
      return succeed({ document: { ...document.value, text }, hops, reply, isRefused: true })
    }
  }
}

const keep = (cache: Awaited<ReturnType<typeof pageCache>>, key: string, page: CachedPage): CachedPage => {
  cache.set(key, page)
  return page
}

const ifChanged = ({ etag, lastModified }: CachedPage): Record<string, string> => ({
  ...(etag ? { 'if-none-match': etag } : {}),
  ...(lastModified ? { 'if-modified-since': lastModified } : {}),
})

interface CachedPage {
  readonly document: PageDocument
  readonly hops: readonly URL[]
  /** On the clock of the session. */
  readonly freshUntilMs: number
  readonly etag: string | undefined
  readonly lastModified: string | undefined
}

const FRESH_MS = 300_000
const MAX_PAGES = 128
const MAX_SIZE = 32 * 1024 * 1024

let opened: Promise<LRUCache<string, CachedPage>> | undefined

const pageCache = (): Promise<LRUCache<string, CachedPage>> => {
  opened ??= import('lru-cache').then(
    ({ LRUCache }) =>
      new LRUCache<string, CachedPage>({
        max: MAX_PAGES,
        maxSize: MAX_SIZE,
        sizeCalculation: ({ document }) => document.text.length + 1000,
      }),
  )
  return opened
}

/** Freshness by Cache-Control; undefined for `no-store`. */
const freshMs = (cacheControl: string): number | undefined => {
  if (/\bno-store\b/i.test(cacheControl)) return undefined
  if (/\bno-cache\b/i.test(cacheControl)) return 0
  const age = /\bmax-age\s*=\s*"?(\d{1,9})/i.exec(cacheControl)?.[1]
  return age === undefined ? FRESH_MS : Math.min(FRESH_MS, Number(age) * 1000)
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

const pageStatusFault = ({ status, headers, bytes, hops }: FetchedReply): Fault => {
  const url = hops.at(-1)?.href ?? ''
  const words = decodeText(bytes.subarray(0, 20_000), headers['content-type'] ?? '')
    .replace(/<(script|style)[^<>]*>[\s\S]*?<\/\1>|<[^<>]*>/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const wait = Number(headers['retry-after'])
  const extras = {
    status,
    url: preview(url, 200),
    ...(Number.isFinite(wait) && wait >= 0 && headers['retry-after'] ? { retry_after: wait } : {}),
  }
  return fault(
    codeOf(status),
    `'${preview(url, 200)}' answers with status ${status}${words === '' ? '' : `: ${preview(words, 300)}`}`,
    extras,
  )
}

const codeOf = (status: number): Code => {
  if (status === 404 || status === 410) return 'no_such_page'
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 408 || status === 504) return 'timeout'
  if (status === 429) return 'rate_limited'
  return status >= 500 ? 'overloaded' : 'bad_reply'
}
