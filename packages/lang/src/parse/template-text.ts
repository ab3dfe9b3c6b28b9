// The text of a template `$"…{e}…"` between its expressions: where a piece of it ends, and what the pieces say.

import { type BadEscape, unescape, unindent } from './string-literal.js'

/** A template that the lexer has begun and not ended. */
export interface OpenTemplate {
  readonly start: number
  readonly isBlock: boolean
  readonly pieces: TextPiece[]
  /** Where the expression begins that is being read, and how many braces are open in it. */
  hole: number
  depth: number
}

export interface TextPiece {
  /** As written, between quotes and braces. */
  readonly raw: string
  /** Where `raw` begins in the source. */
  readonly inside: number
  /** The number of its token. */
  readonly token: number
}

export interface PieceEnd {
  /** At a `{`, at the closing quotes, at a `}` that is alone, or where the text ends before any of them. */
  readonly kind: 'hole' | 'quotes' | 'brace' | 'nowhere'
  readonly at: number
}

export const quotesOf = (isBlock: boolean): string => (isBlock ? '"""' : '"')

export const findPieceEnd = (text: string, from: number, isBlock: boolean): PieceEnd => {
  const quotes = quotesOf(isBlock)
  let at = from
  while (at < text.length) {
    const c = text[at]
    if (c === '\n' && !isBlock) break
    if (c === '"' && text.startsWith(quotes, at)) return { kind: 'quotes', at }
    if (c === '{' || c === '}') {
      if (text[at + 1] !== c) return { kind: c === '{' ? 'hole' : 'brace', at }
      at += 2
    } else at += c === '\\' && text[at + 1] !== '\n' ? 2 : 1
  }
  return { kind: 'nowhere', at: Math.min(at, text.length) }
}

/** Behind the quotes that would close it, or where its line ends. */
export const findTemplateEnd = (text: string, from: number, isBlock: boolean): number => {
  const end = text.indexOf(quotesOf(isBlock), from)
  const lineEnd = isBlock ? -1 : text.indexOf('\n', from)
  if (end < 0 || (lineEnd >= 0 && lineEnd < end)) return lineEnd < 0 ? text.length : lineEnd
  return end + quotesOf(isBlock).length
}

// No source can hold it unescaped.
const HOLE = '\0'

/** What each piece says, or the first escape in it that is none. All of a block share their indentation. */
export const templateTexts = (raws: readonly string[], isBlock: boolean): (string | BadEscape)[] => {
  const raw = raws.join(HOLE)
  return (isBlock ? unindent(raw) : raw).split(HOLE).map((text) => unescape(text.replace(/\{\{|\}\}/g, (braces) => braces[0] as string)))
}
