// A place in the tokens, and the few moves that every part of the parser makes. A syntax error is thrown to the nearest statement or
// item, which goes on after it; it never leaves the parser.

import { preview } from '@plumb/wire/preview'
import { error, type Report } from '../diagnostic/diagnostic.js'
import { joinSpans, type Span } from '../diagnostic/source.js'
import type { Name } from './ast.js'
import type { Token } from './lexer.js'

/** Words that name no binding, type, channel, port or module (plumbing(5), LEXICAL STRUCTURE). */
export const RESERVED: ReadonlySet<string> = new Set(
  (
    'type let use protocol agent tool plumb map filter project id copy merge discard empty barrier each flatten batch fold trace spawn channel ' +
    'true false null if then else and or not for in'
  ).split(' '),
)

/** Those of them that older specs could still use as names. */
const NEW_WORDS: ReadonlySet<string> = new Set('each flatten batch fold for in'.split(' '))

/** Words that are values. */
export const LITERAL_WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

// What no hand-written program needs, and no call stack minds.
const MAX_NESTING = 200
const MAX_OPERATORS = 300
/** Processes and morphisms of one binding, as written and with all that it is made of (check/size.ts). */
export const MAX_PARTS = 10_000

const CLOSING: ReadonlySet<string> = new Set([')', ']', '}'])

export class SyntaxFailure {
  /** The next token has nothing to do with it. */
  constructor(readonly isBehind: boolean) {}
}

export class Cursor {
  private at = 0
  private depth = 0
  private height = 0
  private parts = 0
  private areSteps = false

  constructor(
    private readonly tokens: readonly Token[],
    private readonly report: Report,
  ) {}

  get next(): Token {
    return this.tokens[this.at] as Token
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
    const t = distance === 0 ? this.next : this.peek(distance)
    return t.text === text && t.kind === 'symbol'
  }

  isWord(text: string, distance = 0): boolean {
    const t = distance === 0 ? this.next : this.peek(distance)
    return t.text === text && t.kind === 'identifier'
  }

  /** At the word of a declaration, in the first column: what came before it has ended, or lacks its end. */
  get startsItem(): boolean {
    const { source, start } = this.next.span
    if (start > 0 && !'\n\uFEFF'.includes(source.text[start - 1] ?? '')) return false
    const isDeclaration = ['let', 'type', 'use', 'protocol'].some((word) => this.isWord(word))
    return isDeclaration || this.startsParam || this.startsTest || this.isSymbol('@')
  }

  /** `param` is a word only where its declaration is: a binding or a field may have that name. */
  get startsParam(): boolean {
    return this.isWord('param') && this.peek(1).kind === 'identifier' && this.isSymbol(':', 2)
  }

  /** And so is `test`. */
  get startsTest(): boolean {
    return this.isWord('test') && this.peek(1).kind === 'string'
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

  expectSymbol(text: string, where: string, help?: string): Token {
    if (this.isSymbol(text)) return this.advance()
    // What closes something is missing where it would have stood, not where the next line begins.
    if (CLOSING.has(text) && this.next.startsLine && this.next.kind !== 'bad') {
      const { source, end } = this.previous.span
      this.fail(`expected '${text}' ${where}`, { source, start: end, end }, help, false)
    }
    return this.fail(`expected '${text}' ${where}, found ${describe(this.next)}`, this.next.span, help)
  }

  expectWord(text: string, where: string, help?: string): Token {
    if (this.isWord(text)) return this.advance()
    return this.fail(`expected '${text}' ${where}, found ${describe(this.next)}`, this.next.span, help)
  }

  /** Any identifier, reserved or not: fields, keys and ports of others' choosing. */
  anyName(what: string, help?: string): Name {
    const t = this.next
    if (t.kind !== 'identifier') return this.failExpecting(what, help)
    this.advance()
    return { text: t.text, span: t.span }
  }

  /** The name of a field, as an identifier or a string. */
  fieldName(what: string, help?: string): Name {
    const t = this.next
    if (t.kind !== 'string') return this.anyName(what, help)
    this.advance()
    return { text: t.text, span: t.span }
  }

  /** An identifier that names something of the program's own. */
  ownName(what: string): Name {
    const t = this.next
    if (t.kind !== 'identifier' || !RESERVED.has(t.text)) return this.anyName(what)
    // At the start of a line it is more likely that something is missing before it.
    if (t.startsLine) return this.failExpecting(what)
    const kind = /^the name of an? (.*)$/.exec(what)?.[1] ?? 'name'
    if (NEW_WORDS.has(t.text)) return this.fail(`'${t.text}' is a word of the language; rename the ${kind}`)
    return this.fail(`'${t.text}' is a reserved word and cannot be ${what}`)
  }

  /** Runs the rule of a protocol's steps, where a `.` may also be between two of them. */
  inSteps<T>(rule: (c: Cursor) => T): T {
    return this.withSteps(true, rule)
  }

  /** Runs a rule between brackets, where no step ends. */
  inBrackets<T>(rule: (c: Cursor) => T): T {
    return this.withSteps(false, rule)
  }

  private withSteps<T>(areSteps: boolean, rule: (c: Cursor) => T): T {
    const before = this.areSteps
    this.areSteps = areSteps
    try {
      return rule(this)
    } finally {
      this.areSteps = before
    }
  }

  /** The `.` here is between steps: white space is beside it. */
  get isPointOfSteps(): boolean {
    return this.areSteps && this.isSymbol('.') && (this.next.isSpaced || this.peek(1).isSpaced)
  }

  /** Runs a rule that may contain itself. */
  nested<T>(rule: (c: Cursor) => T): T {
    if (this.depth >= MAX_NESTING) this.fail(`nested more than ${MAX_NESTING} deep`)
    this.depth++
    const result = rule(this)
    this.depth--
    return result
  }

  /** `a + b + c` and `a.b.c` make a deep tree without any nesting in the text: to be called for each operator. */
  grow(): void {
    if (++this.height > MAX_OPERATORS) this.fail(`more than ${MAX_OPERATORS} operators in a row`)
  }

  /** To be called for each item of the file, and for each process or morphism in it. */
  startItem(): void {
    this.parts = 0
  }

  countPart(): void {
    if (++this.parts <= MAX_PARTS) return
    const { span } = this.next
    this.report(
      error('too_large', `a binding has at most ${MAX_PARTS.toLocaleString('en')} parts`, span, 'give parts of it names of their own'),
    )
    throw new SyntaxFailure(false)
  }

  /** Runs a rule whose result is beside what was read before, not around it. */
  beside<T>(rule: (c: Cursor) => T): T {
    const before = this.height
    this.height = 0
    const result = rule(this)
    if (before > this.height) this.height = before
    return result
  }

  /** Runs a rule; what it throws is given to `recover`, with the cursor in no rule deeper than before. */
  attempt<T>(rule: (c: Cursor) => T, recover: (failure: SyntaxFailure) => void): T | undefined {
    const { depth, height } = this
    try {
      return rule(this)
    } catch (failure) {
      if (!(failure instanceof SyntaxFailure)) throw failure
      this.depth = depth
      this.height = height
      recover(failure)
      return undefined
    }
  }

  /** From the token where something began to the last one taken. */
  spanFrom(start: { readonly span: Span }): Span {
    return joinSpans(start.span, this.previous.span)
  }

  /** What is wrong in one way only is reported and skipped. */
  hint(message: string, span: Span, help: string): void {
    this.report(error('syntax_error', message, span, help))
  }

  failExpecting(what: string, help?: string): never {
    return this.fail(`expected ${what}, found ${describe(this.next)}`, this.next.span, help)
  }

  fail(
    message: string,
    span: Span = this.next.span,
    help?: string,
    isBehind = span !== this.next.span && span.end <= this.next.span.start,
  ): never {
    // The lexer has reported a bad token already.
    if (this.next.kind !== 'bad') this.report(error('syntax_error', message, span, help))
    // The token of an open comment is empty, and is still to be passed over.
    throw new SyntaxFailure(isBehind)
  }
}

const describe = (t: Token): string => {
  if (t.kind === 'end') return 'the end of the file'
  if (t.kind === 'string') return 'a string'
  if (t.kind === 'template') return t.piece === 'middle' || t.piece === 'tail' ? "'}'" : 'a template'
  return `'${preview(t.text)}'`
}
