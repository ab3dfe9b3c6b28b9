// Decides whether Enter ends a message, or only a line of it.

const FENCE = '"""'

/** Returns the text with a line end added when the message continues, undefined when it is complete. */
export const continueMessage = (text: string): string | undefined => {
  if (text.trimStart().startsWith(FENCE)) return isClosed(text) ? undefined : `${text}\n`
  return text.endsWith('\\') ? `${text.slice(0, -1)}\n` : undefined
}

/** Returns the text between the fences of a fenced message, without its first and last line end. */
export const removeFences = (text: string): string => {
  if (!text.trimStart().startsWith(FENCE) || !isClosed(text)) return text
  return text.trim().slice(FENCE.length, -FENCE.length).replace(/^\n/, '').replace(/\n$/, '')
}

const isClosed = (text: string): boolean => text.trim().length >= 2 * FENCE.length && text.trimEnd().endsWith(FENCE)
