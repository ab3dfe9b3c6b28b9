// A page as a document: from the cache while it is fresh, or still the same by its server's word, else from where it is.

import { type Result, succeed } from '@plumb/wire'
import type { BuiltinContext } from '../builtin.js'
import { type PageDocument, readDocument } from './document.js'
import { type FollowOptions, followRedirects } from './follow-redirects.js'
import { openHostPermission } from './host-permission.js'
import { type CachedPage, freshMs, pageCache } from './page-cache.js'
import { isSuccess, pageStatusFault } from './status-fault.js'

export interface Page {
  readonly document: PageDocument
  readonly hops: readonly URL[]
}

const ACCEPT = 'text/markdown, text/html, application/xhtml+xml, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5'

export const readPage = async (url: URL, context: BuiltinContext, resolve?: FollowOptions['resolve']): Promise<Result<Page>> => {
  const { signal, session } = context.call
  const gate = openHostPermission(context)
  const cache = await pageCache()
  // What was read with a grant is not there for those without.
  const key = `${context.mayReachPrivateNet} ${url.href.split('#')[0]}`
  const kept = cache.get(key)
  if (kept && session.nowMs() < kept.freshUntilMs) {
    for (const hop of kept.hops) {
      const entered = await gate.enter(hop)
      if (!entered.ok) return entered
    }
    return succeed(kept)
  }
  const headers = { accept: ACCEPT, ...(kept ? ifChanged(kept) : {}) }
  const fetched = await followRedirects({ url: url.href, headers }, { gate, signal, ...(resolve ? { resolve } : {}) })
  if (!fetched.ok) return fetched
  const { status, headers: told, hops } = fetched.value
  const fresh = freshMs(told['cache-control'] ?? '')
  if (kept && status === 304) return succeed(keep(cache, key, { ...kept, freshUntilMs: session.nowMs() + (fresh ?? 0) }))
  if (!isSuccess(status)) return { ok: false, error: pageStatusFault(fetched.value) }
  const document = await readDocument(fetched.value, signal)
  if (!document.ok) return document
  const page = { document: document.value, hops, etag: told.etag, lastModified: told['last-modified'] }
  if (fresh === undefined) cache.delete(key)
  else keep(cache, key, { ...page, freshUntilMs: session.nowMs() + fresh })
  return succeed(page)
}

const keep = (cache: Awaited<ReturnType<typeof pageCache>>, key: string, page: CachedPage): CachedPage => {
  cache.set(key, page)
  return page
}

const ifChanged = ({ etag, lastModified }: CachedPage): Record<string, string> => ({
  ...(etag ? { 'if-none-match': etag } : {}),
  ...(lastModified ? { 'if-modified-since': lastModified } : {}),
})
