// Where a cache keeps its results: the least recently used go first. Loaded when a tool with `cache` is first called.

import type { LRUCache } from 'lru-cache'
import type { JsonText } from '../json-text.js'

export interface Kept {
  readonly json: JsonText
  readonly isTruncated: boolean
}

export type Store = Pick<LRUCache<string, Kept>, 'get' | 'set'>

const MAX_ENTRIES = 1000
// Characters of keys and results; a larger one is not kept at all.
const MAX_SIZE = 16 * 1024 * 1024

export const openStore = async (ttlMs: number, nowMs: () => number): Promise<Store> => {
  const { LRUCache } = await import('lru-cache')
  return new LRUCache<string, Kept>({
    max: MAX_ENTRIES,
    maxSize: MAX_SIZE,
    sizeCalculation: ({ json }, key) => json.length + key.length,
    ttl: Math.min(Math.max(1, Math.round(ttlMs)), Number.MAX_SAFE_INTEGER),
    // Each look is at the clock itself. To the library 0 is no time.
    ttlResolution: 0,
    perf: { now: () => nowMs() + 1 },
  })
}
