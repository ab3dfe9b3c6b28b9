// Text → tokens. White space and comments only separate; what the parser needs to know of them is on the next token.

import type { Comment } from './ast.js'
import type { Report } from './diagnostic.js'
import type { Source, Span } from './source.js'
import { unescape, unindent } from './string-literal.js'

export interface Token {
  readonly kind: 'identifier' | 'string' | 'number' | 'symbol' | 'end' | 'bad'
  /** The identifier, the symbol, the number as written, or the string's value. */
  readonly text: string
  readonly span: Span
  /** A line end stands between the token before and this one. */
  readonly startsLine: boolean
  /** White space or a comment stands before it. */
  readonly isSpaced: boolean
}

export interface Tokens {
  readonly tokens: readonly Token[]
  readonly comments: readonly Comment[]
  readonly shebang?: string
}

// Longest first, so that `...` is not three dots.
const SYMBOLS = ['...', '->', '→', '??', '&&', '||', '!=', '<=', '>=', ...';*+(){}[],:=|?.@!<>-/%']
const NUMBER = /(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y
const SPACE = /[ \t\r\n]+/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f]/

export const tokenize = (source: Source, report: Report): Tokens => {
  const { text } = source
  const tokens: Token[] = []
  const comments: Comment[] = []
  let at = text.startsWith('\uFEFF') ? 1 : 0
  let startsLine = true
  let isSpaced = true
  const span = (start: number, end: number): Span => ({ source, start, end })
  const fail = (message: string, start: number, end: number, help?: string) =>
    report({ severity: 'error', code: 'syntax_error', message, span: span(start, end), ...(help ? { help } : {}) })
  const push = (kind: Token['kind'], value: string, start: number, end: number) => {
    tokens.push({ kind, text: value, span: span(start, end), startsLine, isSpaced })
    startsLine = isSpaced = false
    at = end
  }
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }

  const comment = () => {
    const start = at
    let depth = 0
    do {
      if (text.startsWith('(*', at)) {
        depth++
        at += 2
      } else if (text.startsWith('*)', at)) {
        depth--
        at += 2
      } else at++
    } while (depth > 0 && at < text.length)
    if (depth > 0) {
      fail('this comment is never closed', start, start + 2, "comments nest: each '(*' needs a '*)' of its own")
      at = text.length
    }
    const body = text.slice(start, at)
    comments.push({ text: body, span: span(start, at) })
    if (body.includes('\n')) startsLine = true
    isSpaced = true
  }

  const string = () => {
    const start = at
    const isBlock = text.startsWith('"""', at)
    const quote = isBlock ? '"""' : '"'
    let end = at + quote.length
    while (end < text.length && !text.startsWith(quote, end) && (isBlock || text[end] !== '\n')) end += text[end] === '\\' ? 2 : 1
    if (!text.startsWith(quote, end)) {
      const stop = Math.min(end, text.length)
      fail('this string is never closed', start, isBlock ? start + 3 : stop, `a string ends with ${quote}`)
      return push('bad', '', start, stop)
    }
    const raw = text.slice(start + quote.length, end)
    const control = isBlock ? -1 : raw.search(CONTROL)
    if (control >= 0) {
      const from = start + 1 + control
      fail(`'${printable(raw[control] ?? '')}' must be escaped in a string`, from, from + 1, 'write \\t for a tab, or use """ for text of several lines')
      return push('bad', '', start, end + 1)
    }
    const read = unescape(isBlock ? unindent(raw) : raw)
    if (typeof read === 'string') return push('string', read, start, end + quote.length)
    // In a block the offset is that of the mended text: show the whole string then.
    const from = isBlock ? start : start + 1 + read.offset
    fail(read.message, from, isBlock ? end + 3 : from + read.length, 'escapes are those of JSON: \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0000')
    push('bad', '', start, end + quote.length)
  }

  const shebang = /^\uFEFF?#![^\n]*/.exec(text)?.[0]
  if (shebang !== undefined) at = shebang.length

  while (at < text.length) {
    const space = match(SPACE)
    if (space !== undefined) {
      at += space.length
      isSpaced = true
      if (space.includes('\n')) startsLine = true
      continue
    }
    if (text.startsWith('(*', at)) {
      comment()
      continue
    }
    const start = at
    const word = match(IDENTIFIER)
    if (word !== undefined) {
      push('identifier', word, start, start + word.length)
      continue
    }
    if (text[at] === '"') {
      string()
      continue
    }
    const number = match(NUMBER)
    if (number !== undefined) {
      at += number.length
      const rest = /[A-Za-z0-9_]+/y
      rest.lastIndex = at
      const extra = rest.exec(text)?.[0] ?? ''
      at = start
      if (extra === '') push('number', number, start, start + number.length)
      else {
        fail(`'${number}${extra}' is no number`, start, start + number.length + extra.length, 'numbers are written as in JSON')
        push('bad', '', start, start + number.length + extra.length)
      }
      continue
    }
    const symbol = SYMBOLS.find((s) => text.startsWith(s, at))
    if (symbol !== undefined) {
      push('symbol', symbol === '→' ? '->' : symbol, start, start + symbol.length)
      continue
    }
    const odd = String.fromCodePoint(text.codePointAt(at) ?? 0)
    fail(`unexpected character '${printable(odd)}'`, start, start + odd.length)
    push('bad', '', start, start + odd.length)
  }
  startsLine = true
  push('end', '', text.length, text.length)
  return { tokens, comments, ...(shebang === undefined ? {} : { shebang: shebang.replace(/^\uFEFF|\r$/g, '') }) }
}

// C0, DEL and C1 would move the cursor of whoever reads the message.
const printable = (c: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u001f\u007f-\u009f]/.test(c) ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}` : c
