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
  /** Of a template: with `$"`, with the quotes that close it, with both, or with neither. Expressions are between the pieces. */
  readonly piece?: TemplatePiece
  readonly span: Span
  /** A line end is between the token before and this one. */
  readonly startsLine: boolean
  /** White space or a comment is before it. */
  readonly isSpaced: boolean
}

export type TemplatePiece = 'whole' | 'head' | 'middle' | 'tail'

export interface Tokens {
  readonly tokens: readonly Token[]
  readonly comments: readonly Comment[]
  readonly shebang?: string
}

// Longest first, so that `...` is not three dots.
const SYMBOL = /\.\.\.|->|\u2192|\?\?|&&|\|\||!=|<=|>=|[;*+(){}[\],:=|?.@!~<>\-/%]/y
const NUMBER = /(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y
// As in f"{n:.2f}".
const FORMAT = /:[<>^=+]?[0-9,]*(?:\.[0-9]+)?[A-Za-z%]?(?=\})/y
const QUOTED = /'[^'\n]*'/y
const BACKTICKS = /`[^`\n]*`/y
const MORE_OF_A_WORD = /[A-Za-z0-9_]+/y
// Garbage is reported a run at a time.
const ODD = /[^ \t\r\nA-Za-z0-9_"\u2192&;*+(){}[\],:=|?.@!~<>\-/%]+|&/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL_IN_BLOCK = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/

const ESCAPES = 'escapes are those of JSON: \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0000'

const QUOTIENT = 'write div(a, b) for a whole quotient, a ?? b for a default; comments are written (* … *)'
/** As much of its line is looked at. */
const MAX_REST = 500
const ONE_OPERAND = /^\s*(?:-?[0-9][0-9.]*|"[^"]*")\s*,?\s*$/

/** Whether more brackets are closed in it than it opens. */
const closesMore = (text: string): boolean => {
  let depth = 0
  for (const c of text) {
    if ('([{'.includes(c)) depth++
    else if (')]}'.includes(c) && --depth < 0) return true
  }
  return false
}

const ODD_HELP: ReadonlyMap<string, string> = new Map([
  ['$', 'a name has no dollar, and a template is written $"…{e}…"'],
  ['^', 'write pow(x, y)'],
  ['&', "write 'and'; there are no operators on bits, and types cannot be intersected"],
])

/** Words, signs and comments: no program written by hand comes near it, and each takes its place in memory. */
const MAX_TOKENS = 500_000

const LINE_END = 10
const QUOTE = 34
const PARENTHESIS = 40
const CLOSING_PARENTHESIS = 41
const ASTERISK = 42
const BACKSLASH = 92
const [HASH, SLASH, APOSTROPHE, DOLLAR, BACKTICK] = [35, 47, 39, 36, 96]
/** Behind a slash. */
const SLASH_COMMENTS: readonly number[] = [SLASH, ASTERISK]

/** A blank, a tab, or one of the two of a line end. */
const isSpace = (code: number): boolean => code === 32 || code === LINE_END || code === 9 || code === 13

export const tokenize = (source: Source, report: Report): Tokens => new Lexer(source, report).read()

class Lexer {
  readonly #source: Source
  readonly #text: string
  readonly #report: Report
  readonly #tokens: Token[] = []
  readonly #comments: Comment[] = []
  #at = 0
  #startsLine = true
  #isSpaced = true
  /** It was told of names that begin with a dollar, as all of some other languages do. */
  #hasDollar = false
  /** The innermost last. */
  readonly #templates: OpenTemplate[] = []

  constructor(source: Source, report: Report) {
    this.#source = source
    this.#text = source.text
    this.#report = report
  }

  read(): Tokens {
    const text = this.#text
    const shebang = /^\uFEFF?#![^\n]*/.exec(text)?.[0]
    this.#at = shebang?.length ?? (text.startsWith('\uFEFF') ? 1 : 0)
    while (this.#at < text.length && !this.#isTooLarge()) this.#next()
    if (this.#templates.length > 0) this.#failHole(text.length)
    this.#startsLine = true
    this.#push('end', '', text.length)
    const [tokens, comments] = [this.#tokens, this.#comments]
    return { tokens, comments, ...(shebang === undefined ? {} : { shebang: shebang.replace(/^\uFEFF|\r$/g, '') }) }
  }

  #isTooLarge(): boolean {
    if (this.#tokens.length + this.#comments.length < MAX_TOKENS) return false
    const message = `a file holds at most ${MAX_TOKENS.toLocaleString('en')} words, signs and comments`
    const help = 'share it out among modules, and data among files that are read at run time'
    this.#report(error('too_large', message, this.#span(this.#at, this.#at), help))
    this.#tokens.length = this.#comments.length = 0
    this.#push('bad', '', this.#text.length)
    return true
  }

  /** One token, or what separates tokens. Most are known by their first character. */
  #next(): void {
    const [text, at] = [this.#text, this.#at]
    const first = text.charCodeAt(at)
    if (isSpace(first)) return this.#space()
    const wordEnd = this.#endOf(IDENTIFIER)
    if (wordEnd >= 0) return this.#push('identifier', text.slice(at, wordEnd), wordEnd)
    if (first === QUOTE) return this.#string()
    if (first === PARENTHESIS && text.charCodeAt(at + 1) === ASTERISK) return this.#comment()
    if (first === HASH || (first === SLASH && SLASH_COMMENTS.includes(text.charCodeAt(at + 1)))) return this.#foreignComment()
    if (first === APOSTROPHE) return this.#quoted()
    if (first === BACKTICK) return this.#backticks()
    if (first === DOLLAR && text.charCodeAt(at + 1) === QUOTE) return this.#template()
    const digits = this.#match(NUMBER)
    if (digits !== undefined) return this.#number(digits)
    const symbol = this.#match(SYMBOL)
    if (symbol !== undefined) return this.#symbol(symbol)
    const odd = this.#match(ODD) ?? text.slice(at, at + 1)
    const what = [...odd.slice(0, 3)].length > 1 ? 'characters' : 'character'
    const end = at + odd.length
    if (odd === '$' && this.#hasDollar) return this.#push('bad', '', end)
    this.#hasDollar ||= odd === '$'
    this.#fail(`unexpected ${what} '${preview(odd, 20)}'`, this.#span(at, end), end, ODD_HELP.get(odd))
  }

  #space(): void {
    const text = this.#text
    let at = this.#at
    do if (text.charCodeAt(at) === LINE_END) this.#startsLine = true
    while (isSpace(text.charCodeAt(++at)))
    this.#at = at
    this.#isSpaced = true
  }

  #symbol(symbol: string): void {
    const around = this.#templates.at(-1)
    if (around && symbol === '}' && around.depth === 0) return this.#piece(around, this.#at + 1)
    const format = around && symbol === ':' && around.depth === 0 ? this.#match(FORMAT) : undefined
    if (format !== undefined) {
      const end = this.#at + format.length
      return this.#fail(
        "expected '}', found ':'",
        this.#span(this.#at, end),
        end,
        'a number in decimals is fixed(n, 2), a text of a width pad(s, 8)',
      )
    }
    if (around && symbol === '{') around.depth++
    if (around && symbol === '}') around.depth--
    this.#push('symbol', symbol === '→' ? '->' : symbol, this.#at + symbol.length)
  }

  #template(): void {
    const start = this.#at
    const isBlock = this.#text.startsWith('"""', start + 1)
    const template: OpenTemplate = { start, isBlock, pieces: [], hole: start, depth: 0 }
    this.#templates.push(template)
    this.#piece(template, start + 1 + quotesOf(isBlock).length)
  }

  #push(kind: Token['kind'], value: string, end: number, piece?: TemplatePiece): void {
    const place = this.#span(this.#at, end)
    this.#tokens.push(
      piece
        ? { kind, text: value, span: place, startsLine: this.#startsLine, isSpaced: this.#isSpaced, piece }
        : { kind, text: value, span: place, startsLine: this.#startsLine, isSpaced: this.#isSpaced },
    )
    this.#startsLine = this.#isSpaced = false
    this.#at = end
  }

  #fail(message: string, place: Span, end: number, help?: string): void {
    this.#report(error('syntax_error', message, place, help))
    this.#push('bad', '', end)
  }

  #span(start: number, end: number): Span {
    return { source: this.#source, start, end }
  }

  /** Where it ends; -1: it does not match there. A result with the text would be made for each token, and thrown away. */
  #endOf(pattern: RegExp, from = this.#at): number {
    pattern.lastIndex = from
    return pattern.test(this.#text) ? pattern.lastIndex : -1
  }

  #match(pattern: RegExp): string | undefined {
    const end = this.#endOf(pattern)
    return end < 0 ? undefined : this.#text.slice(this.#at, end)
  }

  #comment(): void {
    const [text, start] = [this.#text, this.#at]
    let at = start
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
    this.#at = at
    const body = text.slice(start, at)
    if (body.includes('\n')) this.#startsLine = true
    this.#isSpaced = true
    if (depth === 0) this.#comments.push({ text: body, span: this.#span(start, at) })
    else this.#fail('this comment is never closed', this.#span(start, start + 2), at, "comments nest: each '(*' needs a '*)' of its own")
  }

  #string(): void {
    const [text, at] = [this.#text, this.#at]
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
      const stop = Math.min(end, text.length)
      if (this.#templates.length > 0) return this.#failHole(stop)
      const shown = isBlock ? inside : at + text.slice(at, stop).trimEnd().length
      return this.#fail('this string is never closed', this.#span(at, shown), stop, `a string ends with ${quote}`)
    }
    const raw = text.slice(inside, end)
    const after = end + quote.length
    if (this.#failControl(raw, inside, after, isBlock)) return
    const value = unescape(isBlock ? unindent(raw) : raw)
    if (typeof value === 'string') return this.#push('string', value, after)
    this.#reportEscape(raw, inside, value)
    this.#push('bad', '', after)
  }

  #failControl(raw: string, inside: number, end: number, isBlock: boolean): boolean {
    const control = raw.search(isBlock ? CONTROL_IN_BLOCK : CONTROL)
    if (control < 0) return false
    const help = isBlock ? 'write it as \\u0000' : 'write \\t for a tab, or use """ for text of several lines'
    const place = this.#span(inside + control, inside + control + 1)
    this.#fail(`'${preview(raw[control] ?? '')}' must be escaped in a string`, place, end, help)
    return true
  }

  #reportEscape(raw: string, inside: number, found: BadEscape): void {
    // Its offset in the text as written.
    const written = unescape(raw)
    const bad = typeof written === 'string' ? found : written
    const place = this.#span(inside + bad.offset, Math.min(inside + bad.offset + bad.text.length, inside + raw.length))
    const help = bad.text === '\\(' || bad.text.startsWith('\\(') ? 'a text with expressions in it is written $"…{e}…"' : ESCAPES
    this.#report(error('syntax_error', `'${preview(bad.text)}' is not an escape`, place, help))
  }

  /** The text of the innermost template up to its next expression or its end. `inside` is the offset after what opens it, a quote or a brace. */
  #piece(template: OpenTemplate, inside: number): void {
    const { isBlock, pieces } = template
    const end = findPieceEnd(this.#text, inside, isBlock)
    const raw = this.#text.slice(inside, end.at)
    const isHole = end.kind === 'hole'
    const after = end.at + (isHole ? 1 : quotesOf(isBlock).length)
    if (!isHole) this.#templates.pop()
    if (end.kind === 'nowhere') {
      const { start } = template
      const shown = this.#span(start, isBlock ? start + 4 : start + this.#text.slice(start, end.at).trimEnd().length)
      return this.#fail('this template is never closed', shown, end.at, `a template ends with ${quotesOf(isBlock)}`)
    }
    if (end.kind === 'brace') {
      const help = "write '}}' for a brace in a template"
      return this.#fail("this '}' closes nothing", this.#span(end.at, end.at + 1), findTemplateEnd(this.#text, end.at, isBlock), help)
    }
    if (this.#failControl(raw, inside, isHole ? findTemplateEnd(this.#text, after, isBlock) : after, isBlock)) {
      if (isHole) this.#templates.pop()
      return
    }
    const isFirst = pieces.length === 0
    pieces.push({ raw, inside, token: this.#tokens.length })
    this.#push('template', '', after, isHole ? (isFirst ? 'head' : 'middle') : isFirst ? 'whole' : 'tail')
    if (isHole) {
      template.hole = end.at
      template.depth = 0
    } else this.#setTexts(template)
  }

  #setTexts(template: OpenTemplate): void {
    const texts = templateTexts(
      template.pieces.map(({ raw }) => raw),
      template.isBlock,
    )
    for (const [i, { raw, inside, token }] of template.pieces.entries()) {
      const said = texts[i] as string | BadEscape
      const isBad = typeof said !== 'string'
      if (isBad) this.#reportEscape(raw, inside, said)
      this.#tokens[token] = { ...(this.#tokens[token] as Token), ...(isBad ? { kind: 'bad' } : { text: said }) }
    }
  }

  #failHole(end: number): void {
    const { hole } = this.#templates.pop() as OpenTemplate
    this.#templates.length = 0
    const help = "an expression in a template ends with '}'; write '{{' for a brace"
    this.#fail("this '{' is never closed", this.#span(hole, hole + 1), end, help)
  }

  #number(digits: string): void {
    const [start, until] = [this.#at, this.#at + digits.length]
    const end = Math.max(this.#endOf(MORE_OF_A_WORD, until), until)
    const span = this.#span(start, end)
    if (end > until) {
      this.#fail(`'${preview(this.#text.slice(start, end))}' is not a number`, span, end, 'numbers are written as in JSON')
    } else if (!Number.isFinite(Number(digits)))
      this.#fail(`'${preview(digits)}' is beyond all numbers`, span, end, 'the largest is about 1.8e308')
    else this.#push('number', digits, end)
  }

  // Comments of other languages are skipped like plumb's own, so that all else in the file is checked.
  #foreignComment(): void {
    const [text, at] = [this.#text, this.#at]
    const mark = text[at] === '#' ? (text[at + 1] === '!' ? '#!' : '#') : text.slice(at, at + 2)
    if (mark === '//' && this.#isOperator(at)) return this.#fail("there is no operator '//'", this.#span(at, at + 2), at + 2, QUOTIENT)
    const isFirst = at === 0 || text.slice(0, at) === '\uFEFF'
    const help =
      mark === '#!'
        ? "a '#!' line is the first of the file, with nothing before it"
        : isFirst && mark === '#' && text[at + 1] === '/'
          ? "a first line for the shell begins with '#!', as in '#!/usr/bin/env plumb'"
          : 'comments are written (* … *)'
    this.#report(error('syntax_error', `unexpected '${mark}'`, this.#span(at, at + mark.length), help))
    const end = mark === '/*' ? text.indexOf('*/', at + 2) + 2 : text.indexOf('\n', at)
    this.#at = end < at ? text.length : end
    if (text.slice(at, this.#at).includes('\n')) this.#startsLine = true
  }

  // A quotient of Python, or a default of jq: between two operands, with what closes the expression behind it on the line.
  #isOperator(at: number): boolean {
    const last = this.#tokens.at(-1)
    if (!last || this.#startsLine || !/^[\w)\]}"]/.test(this.#text.slice(last.span.end - 1, last.span.end))) return false
    const [rest = ''] = this.#text.slice(at + 2, at + MAX_REST).split('\n', 1)
    return ONE_OPERAND.test(rest) || closesMore(rest)
  }

  #backticks(): void {
    const whole = this.#match(BACKTICKS) ?? '`'
    const end = this.#at + whole.length
    this.#fail('a text with expressions in it begins with $', this.#span(this.#at, end), end, 'write $"…{e}…"')
  }

  #quoted(): void {
    const whole = this.#match(QUOTED) ?? "'"
    const end = this.#at + whole.length
    const help = whole.length > 1 ? `write ${preview(JSON.stringify(whole.slice(1, -1)))}` : 'strings are written in double quotes'
    this.#fail(`a string is written in double quotes, not in '`, this.#span(this.#at, end), end, help)
  }
}
