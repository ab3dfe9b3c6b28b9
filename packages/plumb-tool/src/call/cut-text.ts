// Cuts a text that is too long: keeps its beginning and its end, in whole lines where that keeps most, and says how much is missing between.

export interface Cut {
  readonly text: string
  /** 0: nothing was cut, and the text is unchanged. */
  readonly cutBytes: number
}

/**
 * At most `maxCharacters`, with a line `[truncated: N more bytes]` where something is missing. `droppedBytes` were dropped before, from a place
 * in the middle that would not be kept.
 */
export const cutText = (text: string, maxCharacters: number, droppedBytes = 0): Cut => {
  if (charactersUpTo(text, maxCharacters + 1) <= maxCharacters && droppedBytes === 0) return { text, cutBytes: 0 }
  const head = firstLines(text, Math.ceil(maxCharacters / 2))
  const tail = lastLines(text.slice(head.length), maxCharacters - charactersOf(head))
  return joined(text, { head, tail, droppedBytes })
}

/** So many UTF-16 units from its beginning, or one less within a character: servers refuse half of one. */
export const headOf = (text: string, maxUnits: number): string => text.slice(0, maxUnits).replace(/[\ud800-\udbff]$/, '')

/** Keeps the beginning alone: `droppedBytes` followed the text and were dropped before. */
export const cutHead = (text: string, maxCharacters: number, droppedBytes: number): Cut => {
  const isWhole = charactersUpTo(text, maxCharacters + 1) <= maxCharacters
  if (isWhole && droppedBytes === 0) return { text, cutBytes: 0 }
  return joined(text, { head: isWhole ? text : firstLines(text, maxCharacters), tail: '', droppedBytes })
}

const joined = (text: string, { head, tail, droppedBytes }: { head: string; tail: string; droppedBytes: number }): Cut => {
  const cutBytes = Buffer.byteLength(text.slice(head.length, text.length - tail.length)) + droppedBytes
  const isOpen = head !== '' && !head.endsWith('\n')
  return { text: `${head}${isOpen ? '\n' : ''}[truncated: ${cutBytes} more bytes]${tail === '' ? '' : `\n${tail}`}`, cutBytes }
}

// Whole lines, unless that would be less than half.
const firstLines = (text: string, maxCharacters: number): string => {
  let end = 0
  for (let count = 0; count < maxCharacters && end < text.length; count++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  const lineEnd = end === 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1
  return text.slice(0, lineEnd >= end / 2 ? lineEnd : end)
}

const lastLines = (text: string, maxCharacters: number): string => {
  let start = text.length
  for (let count = 0; count < maxCharacters && start > 0; count++) start -= (text.codePointAt(start - 2) ?? 0) > 0xffff ? 2 : 1
  const newline = start === 0 ? -1 : text.indexOf('\n', start - 1)
  const lineStart = newline < 0 ? start : newline + 1
  return text.slice(text.length - lineStart >= (text.length - start) / 2 ? lineStart : start)
}

/** Counted no further than `most`. */
const charactersUpTo = (text: string, most: number): number => {
  if (text.length < most) return charactersOf(text)
  let count = 0
  for (let at = 0; at < text.length && count < most; count++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return count
}

/** Code points, not UTF-16 units. */
export const charactersOf = (text: string): number => text.length - (text.match(PAIRS)?.length ?? 0)

const PAIRS = /[\ud800-\udbff][\udc00-\udfff]/g
