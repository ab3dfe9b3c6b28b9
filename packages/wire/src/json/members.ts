// Iterates over the members of an object or the items of an array, by skipping their values.

import { skipSpace, skipStringRest, skipValue, UNCHECKED_DEPTH } from './skip.js'

type VisitMember = (keyStart: number, keyEnd: number, start: number, end: number) => void
type VisitItem = (start: number, end: number, index: number) => void

/**
 * Visits the members of the object at `at`, repeated keys included; a key is given without its quotes, with its escapes. Returns the offset
 * after the object, or -1 if the bytes are not an object: the members before the flaw have been visited then. For bytes that were not
 * checked, `depth` is the number of containers that are open around the values.
 */
export const eachMember = (buf: Uint8Array, at: number, visit: VisitMember, depth = UNCHECKED_DEPTH): number => {
  let i = skipSpace(buf, at + 1)
  if (buf[i] === CLOSE_OBJECT) return i + 1
  for (;;) {
    if (buf[i] !== QUOTE) return -1
    const keyStart = i + 1
    const behindKey = skipStringRest(buf, keyStart)
    if (behindKey < 0) return -1
    i = skipSpace(buf, behindKey)
    if (buf[i] !== COLON) return -1
    const start = skipSpace(buf, i + 1)
    const end = skipValue(buf, start, depth)
    if (end < 0) return -1
    visit(keyStart, behindKey - 1, start, end)
    i = skipSpace(buf, end)
    if (buf[i] === CLOSE_OBJECT) return i + 1
    if (buf[i] !== COMMA) return -1
    i = skipSpace(buf, i + 1)
  }
}

/** The text of a member of an object, as it was written: a number keeps its digits. Of several with this key, the last counts. */
export const memberText = (json: Uint8Array, name: string): string | undefined => {
  const bytes = Buffer.from(json)
  let found: string | undefined
  eachMember(bytes, skipSpace(bytes, 0), (keyStart, keyEnd, start, end) => {
    if (JSON.parse(bytes.toString('utf8', keyStart - 1, keyEnd + 1)) === name) found = bytes.toString('utf8', start, end)
  })
  return found
}

/** Visits the items of the array at `at`, which is JSON. Returns their number. */
export const eachItem = (buf: Uint8Array, at: number, visit: VisitItem): number => {
  let i = skipSpace(buf, at + 1)
  if (buf[i] === CLOSE_ARRAY) return 0
  for (let count = 0; ; ) {
    const end = skipValue(buf, i, UNCHECKED_DEPTH)
    visit(i, end, count++)
    i = skipSpace(buf, end)
    if (buf[i] !== COMMA) return count
    i = skipSpace(buf, i + 1)
  }
}

/** The number of items of the array at `at`, which is JSON. */
export const countItems = (buf: Uint8Array, at: number): number => eachItem(buf, at, ignore)

/** Whether each key of the object at `at`, which is JSON, occurs once. */
export const hasDistinctKeys = (buf: Buffer, at: number): boolean => {
  const keys = new Set<string>()
  let count = 0
  eachMember(buf, at, (start, end) => {
    const text = buf.toString('utf8', start, end)
    keys.add(text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text)
    count++
  })
  return keys.size === count
}

const ignore = (): void => {}

const [QUOTE, COMMA, COLON, CLOSE_ARRAY, CLOSE_OBJECT] = [0x22, 0x2c, 0x3a, 0x5d, 0x7d]
