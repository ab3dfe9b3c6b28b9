// Cuts a text that is too long: keeps its beginning in whole lines, and says how much is missing.

export interface Cut {
  readonly text: string
  /** 0: nothing was cut, and the text is unchanged. */
  readonly cutBytes: number
}

/**
 * At most `maxCharacters` and a last line `[truncated: N more bytes]`. If the first line is itself too long, it is cut. `droppedBytes`
 * followed the text and were dropped before.
 */
export const cutText = (text: string, maxCharacters: number, droppedBytes = 0): Cut => {
  const limit = endOfCharacters(text, maxCharacters)
  if (limit === text.length && droppedBytes === 0) return { text, cutBytes: 0 }
  const lineEnd = text.lastIndexOf('\n', limit - 1) + 1
  const end = limit === text.length || lineEnd === 0 || limit === 0 ? limit : lineEnd
  const head = text.slice(0, end)
  const cutBytes = Buffer.byteLength(text.slice(end)) + droppedBytes
  const isOpen = head !== '' && !head.endsWith('\n')
  return { text: `${head}${isOpen ? '\n' : ''}[truncated: ${cutBytes} more bytes]`, cutBytes }
}

/** So many UTF-16 units from its beginning, or one less within a character: servers refuse half of one. */
export const headOf = (text: string, maxUnits: number): string => text.slice(0, maxUnits).replace(/[\ud800-\udbff]$/, '')

// In UTF-16 units, but never inside a surrogate pair.
const endOfCharacters = (text: string, maxCharacters: number): number => {
  if (text.length <= maxCharacters) return text.length
  let end = 0
  for (let count = 0; count < maxCharacters && end < text.length; count++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return end
}

/** Code points, not UTF-16 units. */
export const charactersOf = (text: string): number => text.length - (text.match(PAIRS)?.length ?? 0)

const PAIRS = /[\ud800-\udbff][\udc00-\udfff]/g
