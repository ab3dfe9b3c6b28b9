// A place in the tokens, and the few moves that every part of the parser makes. A syntax error is thrown to the nearest item,
// which goes on behind it; it never leaves the parser.

import type { Name } from './ast.js'
import type { Report } from './diagnostic.js'
import type { Token } from './lexer.js'
import { joinSpans, type Span } from './source.js'

/** Words that name no binding, type, channel, port or module (language.md, Lexical). */
export const RESERVED: ReadonlySet<string> = new Set(
  ('type let use protocol agent tool plumb map filter project id copy merge discard empty barrier trace spawn channel true ' +
    'false null if then else and or not').split(' '),
)

const MAX_NESTING = 200

export class SyntaxFailure {
  readonly isSyntaxFailure = true
}

export class Cursor {
  private at = 0
  private depth = 0

  constructor(
    private readonly tokens: readonly Token[],
    private readonly report: Report,
  ) {}

  get next(): Token {
    return this.peek(0)
  }

  get previous(): Token {
    return this.peek(-1)
  }

  peek(distance: number): Token {
    const i = Math.min(Math.max(this.at + distance, 0), this.tokens.length - 1)
    return this.tokens[i] as Token
  }

  advance(): Token {
    const token = this.next
    if (token.kind !== 'end') this.at++
    return token
  }

  isSymbol(text: string, distance = 0): boolean {
    const t = this.peek(distance)
    return t.kind === 'symbol' && t.text === text
  }

  isWord(text: string, distance = 0): boolean {
    const t = this.peek(distance)
    return t.kind === 'identifier' && t.text === text
  }

  takeSymbol(text: string): boolean {
    const found = this.isSymbol(text)
    if (found) this.advance()
    return found
  }

  takeWord(text: string): boolean {
    const found = this.isWord(text)
    if (found) this.advance()
    return found
  }

  expectSymbol(text: string, where: string): Token {
    if (this.isSymbol(text)) return this.advance()
    return this.fail(`expected '${text}' ${where}, found ${describe(this.next)}`)
  }

  expectWord(text: string, where: string): Token {
    if (this.isWord(text)) return this.advance()
    return this.fail(`expected '${text}' ${where}, found ${describe(this.next)}`)
  }

  /** Any identifier, reserved or not: fields, keys and ports of others' choosing. */
  anyName(what: string): Name {
    const t = this.next
    if (t.kind !== 'identifier') return this.fail(`expected ${what}, found ${describe(t)}`)
    this.advance()
    return { text: t.text, span: t.span }
  }

  /** An identifier that names something of the program's own. */
  ownName(what: string): Name {
    const t = this.next
    if (t.kind === 'identifier' && RESERVED.has(t.text)) return this.fail(`'${t.text}' is a reserved word and cannot be ${what}`)
    return this.anyName(what)
  }

  /** Runs a rule that may contain itself, to a depth that no hand-written program needs and no call stack minds. */
  nested<T>(rule: () => T): T {
    if (this.depth >= MAX_NESTING) this.fail(`nested more than ${MAX_NESTING} deep`)
    this.depth++
    try {
      return rule()
    } finally {
      this.depth--
    }
  }

  /** From the token where something began to the last one taken. */
  spanFrom(start: Token | { span: Span }): Span {
    return joinSpans(start.span, this.previous.span)
  }

  fail(message: string, span: Span = this.next.span, help?: string): never {
    // The lexer has told of a bad token already.
    if (this.next.kind !== 'bad') this.error(message, span, help)
    throw new SyntaxFailure()
  }

  error(message: string, span: Span, help?: string): void {
    this.report({ severity: 'error', code: 'syntax_error', message, span, ...(help === undefined ? {} : { help }) })
  }
}

const describe = (t: Token): string => {
  if (t.kind === 'end') return 'the end of the file'
  if (t.kind === 'string') return 'a string'
  return `'${t.text}'`
}
