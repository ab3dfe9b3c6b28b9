// HTML from templates in which everything is text unless it was made by a template.

export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | readonly Part[] | undefined

export const html = (pieces: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(pieces.map((piece, i) => piece + (i < parts.length ? textOf(parts[i]) : '')).join(''))

/** Text that is HTML already: a picture of ours, a style. */
export const trusted = (text: string): Html => new Html(text)

const textOf = (part: Part): string => {
  if (part === undefined) return ''
  if (part instanceof Html) return part.text
  if (Array.isArray(part)) return part.map(textOf).join('')
  return escape(String(part))
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

// Controls are shown, and so are the marks that turn the direction of text: on the page nothing is what it does not seem.
const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (c) => ENTITIES[c] as string).replace(UNSEEN, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

// Not the line end and the tab.
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
