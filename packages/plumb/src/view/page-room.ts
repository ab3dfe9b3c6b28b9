// What of a list has room on a page: its rows, and of the items that they lead to those that are worth most.

import type { Html } from './html.js'

/** An item of the list, and what it leads to. */
export interface Listed {
  readonly seq: number
  readonly row: () => Html
  readonly article: () => Html
}

export interface Fitting {
  readonly rows: readonly Html[]
  /** In the order of the list. */
  readonly articles: readonly Html[]
  readonly missing: readonly Listed[]
}

/** Rows of items that are not on the page themselves take at most this share of it. */
const MAX_ROWS_SHARE = 0.3
/** Of the list, its heads and notes. */
const LIST_BYTES = 4000
/** Items in a row that had no room: the page is full. */
const MAX_MISSES = 50
/** A page that is served fetches the others. */
const MAX_SERVED = 40

/** `byWorth`: the items again, those first that are to be on the page. `room`: bytes. */
export const fitOnPage = (
  items: readonly Listed[],
  byWorth: readonly Listed[],
  { room, isServed }: { readonly room: number; readonly isServed: boolean },
): Fitting => {
  let left = room - LIST_BYTES
  let rowsLeft = left * MAX_ROWS_SHARE
  const rows: Html[] = []
  for (const item of items) {
    const row = item.row()
    rowsLeft -= Buffer.byteLength(row.text)
    if (rowsLeft < 0) break
    left -= Buffer.byteLength(row.text)
    rows.push(row)
  }
  const listed = new Set(items.slice(0, rows.length))
  const shown = new Map<Listed, Html>()
  let misses = 0
  for (const item of byWorth) {
    if (!listed.has(item)) continue
    if ((isServed && shown.size >= MAX_SERVED) || misses >= MAX_MISSES) break
    const text = item.article()
    const bytes = Buffer.byteLength(text.text)
    if (bytes > left) misses++
    if (bytes > left) continue
    left -= bytes
    misses = 0
    shown.set(item, text)
  }
  return { rows, articles: items.flatMap((item) => shown.get(item) ?? []), missing: items.filter((item) => !shown.has(item)) }
}
