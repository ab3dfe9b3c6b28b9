// Lists in pages: the cursor is the position of the next one, in an opaque form.

import { INVALID_PARAMS, RpcError } from './rpc-error.js'

export const PAGE_SIZE = 200

export const toCursor = (text: string): string => Buffer.from(text).toString('base64url')

/** Undefined: the first page. */
export const fromCursor = (cursor: unknown): string | undefined => {
  if (cursor === undefined) return undefined
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString('utf8') : ''
  if (text !== '' && toCursor(text) === cursor) return text
  throw new RpcError(INVALID_PARAMS, 'the cursor is not one that this server gave')
}

/** Continues after the last name of the page before. */
export const pageOf = <T extends { readonly name: string }>(
  items: readonly T[],
  cursor: unknown,
): { readonly items: readonly T[]; readonly nextCursor?: string } => {
  const after = fromCursor(cursor)
  const start = after === undefined ? 0 : items.findIndex(({ name }) => name === after) + 1
  if (after !== undefined && start === 0) throw new RpcError(INVALID_PARAMS, 'the list has changed since: begin it again')
  const page = items.slice(start, start + PAGE_SIZE)
  const last = page.at(-1)
  return last && start + PAGE_SIZE < items.length ? { items: page, nextCursor: toCursor(last.name) } : { items: page }
}
