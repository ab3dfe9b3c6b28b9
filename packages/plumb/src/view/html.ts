// HTML from templates that escape every value, except what another template made.

import { escapeLines } from '@plumb/wire'

export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | readonly Part[] | undefined

export const html = (pieces: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(pieces.map((piece, i) => piece + (i < parts.length ? textOf(parts[i]) : '')).join(''))

/** For text that is HTML already: a picture or a style of this program. */
export const trusted = (text: string): Html => new Html(text)

const textOf = (part: Part): string => {
  if (part === undefined) return ''
  if (part instanceof Html) return part.text
  if (Array.isArray(part)) return part.map(textOf).join('')
  return escape(String(part))
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

// No text can hide or reorder another.
const escape = (text: string): string => escapeLines(text.replace(/[&<>"']/g, (c) => ENTITIES[c] as string))
