// Pages that were read a short while ago, as they were understood: bounded, by time and size; errors are not kept.

import type { LRUCache } from 'lru-cache'
import type { PageDocument } from './document.js'

export interface CachedPage {
  readonly document: PageDocument
  readonly hops: readonly URL[]
  /** In the time of the session. */
  readonly freshUntilMs: number
  readonly etag: string | undefined
  readonly lastModified: string | undefined
}

const FRESH_MS = 300_000
const MAX_PAGES = 128
const MAX_SIZE = 32 * 1024 * 1024

let opened: Promise<LRUCache<string, CachedPage>> | undefined

export const pageCache = (): Promise<LRUCache<string, CachedPage>> => {
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

/** How long what a server sent is as good as new; undefined: it wants it not to be kept. */
export const freshMs = (cacheControl: string): number | undefined => {
  if (/\bno-store\b/i.test(cacheControl)) return undefined
  if (/\bno-cache\b/i.test(cacheControl)) return 0
  const age = /\bmax-age\s*=\s*"?(\d{1,9})/i.exec(cacheControl)?.[1]
  return age === undefined ? FRESH_MS : Math.min(FRESH_MS, Number(age) * 1000)
}
