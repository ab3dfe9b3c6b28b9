// Text → tokens. White space and comments only separate; what the parser needs to know of them is on the next token.

import { preview } from '@plumb/wire/preview'
import { error, type Report } from '../diagnostic/diagnostic.js'
import type { Source, Span } from '../diagnostic/source.js'
import type { Comment } from './ast.js'
import { type BadEscape, unescape, unindent } from './string-literal.js'
import { findPieceEnd, findTemplateEnd, type OpenTemplate, quotesOf, templateTexts } from './template-text.js'

export interface Token {
  /** `bad`: no token; reported by then. */
  readonly kind: 'identifier' | 'string' | 'template' | 'number' | 'symbol' | 'end' | 'bad'
  /** The identifier, the symbol, the number as written, or the value of the string or of the piece of a template. */
  readonly text: string
  /** Of a template: with `$"`, with the quotes that close it, with both, or with neither. Expressions stand between the pieces. */
  readonly piece?: TemplatePiece
  readonly span: Span
  /** A line end stands between the token before and this one. */
  readonly startsLine: boolean
  /** White space or a comment stands before it. */
  readonly isSpaced: boolean
}

export type TemplatePiece = 'whole' | 'head' | 'middle' | 'tail'

export interface Tokens {
  readonly tokens: readonly Token[]
  readonly comments: readonly Comment[]
  readonly shebang?: string
}

// Longest first, so that `...` is not three dots.
const SYMBOL = /\.\.\.|->|\u2192|\?\?|&&|\|\||!=|<=|>=|[;*+(){}[\],:=|?.@!<>\-/%]/y
const NUMBER = /(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y
const QUOTED = /'[^'\n]*'/y
const MORE_OF_A_WORD = /[A-Za-z0-9_]+/y
// Garbage is reported a run at a time.
const ODD = /[^ \t\r\nA-Za-z0-9_"\u2192&;*+(){}[\],:=|?.@!<>\-/%]+|&/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL_IN_BLOCK = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/

const ESCAPES = 'escapes are those of JSON: \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0000'

/** Words, signs and comments: no program written by hand comes near it, and each takes its place in memory. */
const MAX_TOKENS = 500_000

const LINE_END = 10
const QUOTE = 34
const PARENTHESIS = 40
const CLOSING_PARENTHESIS = 41
const ASTERISK = 42
const BACKSLASH = 92

/** A blank, a tab, or one of the two of a line end. */
const isSpace = (code: number): boolean => code === 32 || code === LINE_END || code === 9 || code === 13

export const tokenize = (source: Source, report: Report): Tokens => {
  const { text } = source
  const tokens: Token[] = []
  const comments: Comment[] = []
  const shebang = /^\uFEFF?#![^\n]*/.exec(text)?.[0]
  let at = shebang?.length ?? (text.startsWith('\uFEFF') ? 1 : 0)
  let startsLine = true
  let isSpaced = true
  const span = (start: number, end: number): Span => ({ source, start, end })
  /** The innermost last. */
  const templates: OpenTemplate[] = []
  const push = (kind: Token['kind'], value: string, end: number, piece?: TemplatePiece) => {
    const place = span(at, end)
    tokens.push(
      piece ? { kind, text: value, span: place, startsLine, isSpaced, piece } : { kind, text: value, span: place, startsLine, isSpaced },
    )
    startsLine = isSpaced = false
    at = end
  }
  const fail = (message: string, place: Span, end: number, help?: string) => {
    report(error('syntax_error', message, place, help))
    push('bad', '', end)
  }
  /** Where it ends; -1: it does not match there. A result with the text would be made for each token, and thrown away. */
  const endOf = (pattern: RegExp, from = at): number => {
    pattern.lastIndex = from
    return pattern.test(text) ? pattern.lastIndex : -1
  }
  const match = (pattern: RegExp): string | undefined => {
    const end = endOf(pattern)
    return end < 0 ? undefined : text.slice(at, end)
  }

  const comment = () => {
    const start = at
    let depth = 0
    do {
      const code = text.charCodeAt(at)
      const next = text.charCodeAt(at + 1)
      if (code === PARENTHESIS && next === ASTERISK) {
        depth++
        at += 2
      } else if (code === ASTERISK && next === CLOSING_PARENTHESIS) {
        depth--
        at += 2
      } else at++
    } while (depth > 0 && at < text.length)
    const body = text.slice(start, at)
    if (body.includes('\n')) startsLine = true
    isSpaced = true
    if (depth > 0) fail('this comment is never closed', span(start, start + 2), at, "comments nest: each '(*' needs a '*)' of its own")
    else comments.push({ text: body, span: span(start, at) })
  }

  const string = () => {
    const quote = text.startsWith('"""', at) ? '"""' : '"'
    const isBlock = quote === '"""'
    const inside = at + quote.length
    let end = inside
    while (end < text.length) {
      const code = text.charCodeAt(end)
      if (code === QUOTE ? !isBlock || text.startsWith(quote, end) : code === LINE_END && !isBlock) break
      end += code === BACKSLASH && text.charCodeAt(end + 1) !== LINE_END ? 2 : 1
    }
    if (!text.startsWith(quote, end)) {
      if (templates.length > 0) return failHole(Math.min(end, text.length))
      const stop = Math.min(end, text.length)
      const shown = isBlock ? inside : at + text.slice(at, stop).trimEnd().length
      return fail('this string is never closed', span(at, shown), stop, `a string ends with ${quote}`)
    }
    const raw = text.slice(inside, end)
    const behind = end + quote.length
    if (failControl(raw, inside, behind, isBlock)) return
    const value = unescape(isBlock ? unindent(raw) : raw)
    if (typeof value === 'string') return push('string', value, behind)
    reportEscape(raw, inside, value)
    push('bad', '', behind)
  }

  const failControl = (raw: string, inside: number, behind: number, isBlock: boolean): boolean => {
    const control = raw.search(isBlock ? CONTROL_IN_BLOCK : CONTROL)
    if (control < 0) return false
    const help = isBlock ? 'write it as \\u0000' : 'write \\t for a tab, or use """ for text of several lines'
    const place = span(inside + control, inside + control + 1)
    fail(`'${preview(raw[control] ?? '')}' must be escaped in a string`, place, behind, help)
    return true
  }

  const reportEscape = (raw: string, inside: number, found: BadEscape) => {
    // Where it stands in what was written.
    const written = unescape(raw)
    const bad = typeof written === 'string' ? found : written
    const place = span(inside + bad.offset, Math.min(inside + bad.offset + bad.text.length, inside + raw.length))
    report(error('syntax_error', `'${preview(bad.text)}' is no escape`, place, ESCAPES))
  }

  /** The text of the innermost template up to its next expression or its end. `inside` is behind what opens it, a quote or a brace. */
  const piece = (template: OpenTemplate, inside: number) => {
    const { isBlock, pieces } = template
    const end = findPieceEnd(text, inside, isBlock)
    const raw = text.slice(inside, end.at)
    const isHole = end.kind === 'hole'
    const behind = end.at + (isHole ? 1 : quotesOf(isBlock).length)
    if (!isHole) templates.pop()
    if (end.kind === 'nowhere') {
      const { start } = template
      const shown = span(start, isBlock ? start + 4 : start + text.slice(start, end.at).trimEnd().length)
      return fail('this template is never closed', shown, end.at, `a template ends with ${quotesOf(isBlock)}`)
    }
    if (end.kind === 'brace') {
      const help = "write '}}' for a brace in a template"
      return fail("this '}' closes nothing", span(end.at, end.at + 1), findTemplateEnd(text, end.at, isBlock), help)
    }
    if (failControl(raw, inside, isHole ? findTemplateEnd(text, behind, isBlock) : behind, isBlock)) {
      if (isHole) templates.pop()
      return
    }
    const isFirst = pieces.length === 0
    pieces.push({ raw, inside, token: tokens.length })
    push('template', '', behind, isHole ? (isFirst ? 'head' : 'middle') : isFirst ? 'whole' : 'tail')
    if (isHole) {
      template.hole = end.at
      template.depth = 0
    } else sayPieces(template)
  }

  const sayPieces = (template: OpenTemplate) => {
    const texts = templateTexts(
      template.pieces.map(({ raw }) => raw),
      template.isBlock,
    )
    for (const [i, { raw, inside, token }] of template.pieces.entries()) {
      const said = texts[i] as string | BadEscape
      const isBad = typeof said !== 'string'
      if (isBad) reportEscape(raw, inside, said)
      tokens[token] = { ...(tokens[token] as Token), ...(isBad ? { kind: 'bad' } : { text: said }) }
    }
  }

  const failHole = (end: number) => {
    const { hole } = templates.pop() as OpenTemplate
    templates.length = 0
    fail("this '{' is never closed", span(hole, hole + 1), end, "an expression in a template ends with '}'; write '{{' for a brace")
  }

  const number = (digits: string) => {
    const end = Math.max(endOf(MORE_OF_A_WORD, at + digits.length), at + digits.length)
    const written = text.slice(at, end)
    if (written !== digits) fail(`'${preview(written)}' is no number`, span(at, end), end, 'numbers are written as in JSON')
    else if (!Number.isFinite(Number(digits)))
      fail(`'${preview(digits)}' is beyond all numbers`, span(at, end), end, 'the largest is about 1.8e308')
    else push('number', digits, end)
  }

  // Of other languages: passed over like one of ours, so that all else in the file is looked at.
  const foreignComment = () => {
    const mark = text[at] === '#' ? (text[at + 1] === '!' ? '#!' : '#') : '//'
    const isFirst = at === 0 || text.slice(0, at) === '\uFEFF'
    const help =
      mark === '#!'
        ? "a '#!' line is the first of the file, with nothing before it"
        : isFirst && mark === '#' && text[at + 1] === '/'
          ? "a first line for the shell begins with '#!', as in '#!/usr/bin/env plumb'"
          : 'comments are written (* … *)'
    report(error('syntax_error', `unexpected '${mark}'`, span(at, at + mark.length), help))
    const end = text.indexOf('\n', at)
    at = end < 0 ? text.length : end
  }

  const quoted = () => {
    const whole = match(QUOTED) ?? "'"
    const help = whole.length > 1 ? `write ${preview(JSON.stringify(whole.slice(1, -1)))}` : 'strings stand in double quotes'
    fail(`a string stands in double quotes, not in '`, span(at, at + whole.length), at + whole.length, help)
  }

  while (at < text.length) {
    if (tokens.length + comments.length >= MAX_TOKENS) {
      const help = 'share it out among modules, and data among files that are read at run time'
      report(error('too_large', `a file holds at most ${MAX_TOKENS.toLocaleString('en')} words, signs and comments`, span(at, at), help))
      tokens.length = comments.length = 0
      push('bad', '', text.length)
      break
    }
    // Most tokens are known by their first character.
    const first = text.charCodeAt(at)
    if (isSpace(first)) {
      do if (text.charCodeAt(at) === LINE_END) startsLine = true
      while (isSpace(text.charCodeAt(++at)))
      isSpaced = true
      continue
    }
    const wordEnd = endOf(IDENTIFIER)
    if (wordEnd >= 0) {
      push('identifier', text.slice(at, wordEnd), wordEnd)
      continue
    }
    if (first === QUOTE) {
      string()
      continue
    }
    if (first === PARENTHESIS && text.charCodeAt(at + 1) === ASTERISK) {
      comment()
      continue
    }
    if (text[at] === '#' || text.startsWith('//', at)) {
      foreignComment()
      continue
    }
    if (text[at] === "'") {
      quoted()
      continue
    }
    if (text[at] === '$' && text.charCodeAt(at + 1) === QUOTE) {
      const isBlock = text.startsWith('"""', at + 1)
      const template: OpenTemplate = { start: at, isBlock, pieces: [], hole: at, depth: 0 }
      templates.push(template)
      piece(template, at + 1 + quotesOf(isBlock).length)
      continue
    }
    const digits = match(NUMBER)
    if (digits !== undefined) {
      number(digits)
      continue
    }
    const symbol = match(SYMBOL)
    const around = templates.at(-1)
    if (around && symbol === '}' && around.depth === 0) {
      piece(around, at + 1)
      continue
    }
    if (symbol !== undefined) {
      if (around && symbol === '{') around.depth++
      if (around && symbol === '}') around.depth--
      push('symbol', symbol === '→' ? '->' : symbol, at + symbol.length)
      continue
    }
    const odd = match(ODD) ?? text.slice(at, at + 1)
    const what = [...odd.slice(0, 3)].length > 1 ? 'characters' : 'character'
    fail(`unexpected ${what} '${preview(odd, 20)}'`, span(at, at + odd.length), at + odd.length)
  }
  if (templates.length > 0) failHole(text.length)
  startsLine = true
  push('end', '', text.length)
  return { tokens, comments, ...(shebang === undefined ? {} : { shebang: shebang.replace(/^\uFEFF|\r$/g, '') }) }
}
