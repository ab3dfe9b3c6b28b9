// Reads a paginated list to its end, with a limit.

import type { Json } from '@plumb/lang'
import { type Fault, fail, fault, isRecord, preview, type Result, succeed } from '@plumb/wire'

const MAX_PAGES = 1000
const MAX_ITEMS = 10_000

export type Ask = (params: { readonly cursor?: string }) => Promise<Result<Readonly<Record<string, unknown>>>>

export interface Pages {
  readonly items: readonly Record<string, Json>[]
  /** The shortest validity that the pages declare (ms). Undefined: none does. */
  readonly ttlMs?: number
}

export interface PagesOptions {
  readonly key: string
  /** For messages. */
  readonly server: string
  readonly note: (warning: Fault) => void
}

/** The objects under `key` of each page; other values are left out. */
export const readPages = async (ask: Ask, { key, server, note }: PagesOptions): Promise<Result<Pages>> => {
  const items: Record<string, Json>[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  let ttlMs = Number.POSITIVE_INFINITY
  do {
    const page = await ask(cursor === undefined ? {} : { cursor })
    if (!page.ok) return page
    const listed = page.value[key]
    if (!Array.isArray(listed)) return refuse(server, key, `sent a page without '${key}'`)
    items.push(...listed.filter(isRecord as (item: unknown) => item is Record<string, Json>))
    if (items.length > MAX_ITEMS) return refuse(server, key, `lists more than ${MAX_ITEMS} of them`)
    if (typeof page.value.ttlMs === 'number') ttlMs = Math.min(ttlMs, Math.max(0, page.value.ttlMs))
    const { nextCursor } = page.value
    cursor = typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined
    if (cursor !== undefined && cursors.has(cursor)) {
      const why = `does not end: cursor '${preview(cursor, 30)}' came twice, and what came before it is taken`
      note(fault('bad_reply', `the list of ${key} of MCP server '${server}' ${why}`, { server }))
      cursor = undefined
    }
    if (cursor === undefined) return succeed({ items, ...(Number.isFinite(ttlMs) ? { ttlMs } : {}) })
    cursors.add(cursor)
  } while (cursors.size < MAX_PAGES)
  return refuse(server, key, `has more than ${MAX_PAGES} pages`)
}

const refuse = (server: string, key: string, why: string) =>
  fail('bad_reply', `the list of ${key} of MCP server '${server}' ${why}`, { server })
