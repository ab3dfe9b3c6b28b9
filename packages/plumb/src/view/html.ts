// HTML from templates that escape every value, except what another template made.

export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | readonly Part[] | undefined

export const html = (pieces: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(pieces.map((piece, i) => piece + (i < parts.length ? textOf(parts[i]) : '')).join(''))

/** For text that is HTML already: a picture or a style of ours. */
export const trusted = (text: string): Html => new Html(text)

const textOf = (part: Part): string => {
  if (part === undefined) return ''
  if (part instanceof Html) return part.text
  if (Array.isArray(part)) return part.map(textOf).join('')
  return escape(String(part))
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

// Control characters and marks of text direction are shown as escapes, so that no text can hide or reorder another.
const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (c) => ENTITIES[c] as string).replace(HIDDEN, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

// All but the line end and the tab.
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
