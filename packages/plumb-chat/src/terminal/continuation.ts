// Whether Enter ends a message, or only a line of it.

const FENCE = '"""'

/** The text with the new line in it that Enter then means, or undefined: the message is whole. */
export const continued = (text: string): string | undefined => {
  if (text.trimStart().startsWith(FENCE)) return isClosed(text) ? undefined : `${text}\n`
  return text.endsWith('\\') ? `${text.slice(0, -1)}\n` : undefined
}

/** A message between fences is what stands between them; its first and last line end are theirs. */
export const unfenced = (text: string): string => {
  if (!text.trimStart().startsWith(FENCE) || !isClosed(text)) return text
  return text.trim().slice(FENCE.length, -FENCE.length).replace(/^\n/, '').replace(/\n$/, '')
}

const isClosed = (text: string): boolean => text.trim().length >= 2 * FENCE.length && text.trimEnd().endsWith(FENCE)
