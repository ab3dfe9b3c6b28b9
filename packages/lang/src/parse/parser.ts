// Tokens → syntax tree, by recursive descent along the grammar of plumbing(5): here programs and their items.
// Signatures, types, bodies, chains, config values and expressions have files of their own under parse/.

import type { Report } from '../diagnostic/diagnostic.js'
import type { Source, Span } from '../diagnostic/source.js'
import { parseAnnotations } from './annotation.js'
import type { Binding, Implementation, Item, Name, Node, ParamDeclaration, SyntaxTree, TypeDeclaration, Use } from './ast.js'
import { parsePlumb } from './body.js'
import { parseChain } from './chain.js'
import { parseConstant } from './constant.js'
import { Cursor } from './cursor.js'
import { parseExpression as expression } from './expression.js'
import { ownDeclaration } from './foreign.js'
import { refuseBehindType } from './foreign-type.js'
import { refuseForeignWiring } from './foreign-wiring.js'
import { tokenize } from './lexer.js'
import { isLiteral } from './literal.js'
import { parseSignature } from './port.js'
import { parseProtocol } from './protocol.js'
import { parseTest } from './test.js'
import { parseType } from './type.js'
import { parseAgentConfig, parseObject } from './value.js'

export interface Parsed extends SyntaxTree {
  /** Declarations with a syntax error, by name: uses of them are not reported again. */
  readonly broken: ReadonlyMap<string, BrokenItem>
}

/** A declaration of which no more than its name could be read. */
export interface BrokenItem extends Node {
  readonly kind: 'type' | 'param' | 'protocol' | 'binding'
  readonly name: Name
}

/** Every syntax error is reported; what could be read is in the result. */
export const parse = (source: Source, report: Report): Parsed => {
  const { tokens, comments, shebang } = tokenize(source, report)
  const c = new Cursor(tokens, report)
  const items: Item[] = []
  const broken = new Map<string, BrokenItem>()
  while (c.next.kind !== 'end') {
    const start = c.next
    const named: { name?: Name } = {}
    const found = c.attempt(
      () => c.beside(() => item(c, named)),
      () => {
        if (c.next === start) c.advance()
        skipToItem(c)
        if (named.name) broken.set(named.name.text, brokenItem(named.name, start.text, c.spanFrom(start)))
      },
    )
    if (found) items.push(found)
  }
  const span = { source, start: 0, end: source.text.length }
  return { items, comments, broken, span, ...(shebang === undefined ? {} : { shebang }) }
}

const brokenItem = (name: Name, word: string, span: Span): BrokenItem => ({
  kind: word === 'type' || word === 'param' || word === 'protocol' ? word : 'binding',
  name,
  span,
})

/** One expression and nothing after it. */
export const parseExpressionText = (source: Source, report: Report) => alone(source, report, expression)

/** One chain and nothing after it. */
export const parseChainText = (source: Source, report: Report) => alone(source, report, (c) => parseChain(c, false))

/** One type and nothing after it. */
export const parseTypeText = (source: Source, report: Report) => alone(source, report, parseType)

const alone = <T>(source: Source, report: Report, rule: (c: Cursor) => T): T | undefined => {
  const c = new Cursor(tokenize(source, report).tokens, report)
  return c.attempt(
    () => {
      const result = rule(c)
      if (c.next.kind !== 'end') c.failExpecting('the end')
      return result
    },
    () => {},
  )
}

// A declaration begins in the first column; elsewhere, as in a file of one line, where it looks like one and is in no brackets.
const skipToItem = (c: Cursor): void => {
  let depth = 0
  for (; c.next.kind !== 'end'; c.advance()) {
    if (c.startsItem || (depth <= 0 && looksLikeItem(c))) return
    if (c.isSymbol('{') || c.isSymbol('(') || c.isSymbol('[')) depth++
    if (c.isSymbol('}') || c.isSymbol(')') || c.isSymbol(']')) depth--
  }
}

const looksLikeItem = (c: Cursor): boolean => {
  if (c.isWord('use')) return c.peek(1).kind === 'identifier' || c.peek(1).kind === 'string'
  if (c.startsParam || c.startsTest) return true
  return (
    (c.isWord('let') || c.isWord('type') || c.isWord('protocol')) &&
    c.peek(1).kind === 'identifier' &&
    (c.isSymbol('=', 2) || c.isSymbol(':', 2)) &&
    !isWithin(c)
  )
}

// `let x = e in e2` of an expression, or `let c : !T = channel` of a body, on one line.
const isWithin = (c: Cursor): boolean => {
  if (!c.isWord('let')) return false
  if (!c.next.startsLine && [';', ',', '(', '{'].includes(c.previous.text)) return true
  const isValue = c.isSymbol('=', 2) && !c.next.startsLine
  for (let i = 3; c.peek(i).kind !== 'end' && !c.peek(i).startsLine; i++) {
    if (isValue ? c.isWord('in', i) : c.isSymbol('=', i) && c.isWord('channel', i + 1)) return true
  }
  return false
}

const item = (c: Cursor, named: { name?: Name }): Item => {
  if (c.isWord('use')) return use(c)
  if (c.isWord('type')) return typeDeclaration(c, named)
  if (c.startsParam) return paramDeclaration(c, named)
  if (c.startsTest) return parseTest(c)
  if (c.isWord('protocol')) return parseProtocol(c, named)
  if (c.isWord('let') || c.isSymbol('@')) return binding(c, named)
  const { next } = c
  const isNamed = next.kind === 'identifier' && (c.isSymbol(':', 1) || c.isSymbol('=', 1))
  const foreign = next.kind === 'identifier' && !isNamed ? ownDeclaration(next.text) : undefined
  // What uses the name is not wrong too.
  if (isNamed) named.name = { text: next.text, span: next.span }
  const isMisnamed = next.kind === 'identifier' && c.peek(1).kind === 'identifier' && (c.isSymbol(':', 2) || c.isSymbol('=', 2))
  if (isMisnamed) named.name = { text: c.peek(1).text, span: c.peek(1).span }
  if (foreign && c.peek(1).kind === 'identifier') named.name = { text: c.peek(1).text, span: c.peek(1).span }
  const isComment = c.isSymbol('-') && c.isSymbol('-', 1)
  const help = isComment
    ? 'comments are written (* … *)'
    : (foreign ?? (isNamed ? `write 'let ${next.text} …', or 'type ${next.text} = …'` : helpForImpl(next.text)))
  if (c.isWord('param')) return c.fail("a param has a type: 'param name : type', or 'param name : type = constant'")
  if (c.isWord('test')) return c.fail('a test has a name in quotes: \'test "name" of binding { … }\'')
  return c.failExpecting("'use', 'type', 'param', 'protocol', 'let', 'test' or an annotation", help)
}

/** What stands here without a name, or goes on behind an agent. */
const helpForImpl = (text: string): string | undefined => {
  if (BEHIND.has(text)) return "what is wired on has a name: 'let p : !A -> !B = agent { … }', then 'let main : !A -> !C = p ; …'"
  const form = FORMS.get(text)
  return form && `a process has a name and a type: 'let main : !json -> !json = ${form}'`
}

const BEHIND = new Set([';', '*', '+', '|'])
const FORMS: ReadonlyMap<string, string> = new Map([
  ...['id', 'copy', 'merge', 'flatten', 'barrier'].map((word) => [word, word] as const),
  ...['map', 'filter', 'each', 'batch', 'fold', 'project', 'trace'].map((word) => [word, `${word}(…)`] as const),
  ...['value', '.', '{', '['].map((sign) => [sign, 'map(…)'] as const),
  ['agent', 'agent { … }'],
  ['plumb', 'plumb(input, output) { … }'],
])

const use = (c: Cursor): Use => {
  const start = c.advance()
  const t = c.next
  const by = t.kind === 'string' ? 'path' : 'name'
  const target = by === 'path' ? { text: c.advance().text, span: t.span } : c.ownName('the name of a module')
  if (by === 'name' && c.isSymbol('.') && !c.next.startsLine) {
    const capital = target.text.slice(0, 1).toUpperCase() + target.text.slice(1)
    c.fail(
      "a module is used whole: expected a new line, found '.'",
      c.next.span,
      `write 'use ${target.text}', and then ${capital}.${c.peek(1).text}`,
    )
  }
  const as = c.takeWord('as') ? c.ownName('the name of a module') : undefined
  return { kind: 'use', by, target, span: c.spanFrom(start), ...(as ? { as } : {}) }
}

const typeDeclaration = (c: Cursor, named: { name?: Name }): TypeDeclaration => {
  const start = c.advance()
  const name = c.ownName('the name of a type')
  named.name = name
  c.expectSymbol('=', `after 'type ${name.text}'`, `write 'type ${name.text} = …'`)
  const type = parseType(c)
  refuseBehindType(c)
  if (c.isSymbol(';')) c.fail("expected a new line, found ';'", c.next.span, 'a declaration ends with its line')
  if (goesOn(c)) {
    const help = c.isSymbol(':')
      ? 'a record type is written in braces: { name: T }'
      : c.isSymbol('{')
        ? 'a choice is written A | B'
        : undefined
    c.failExpecting('the end of the type', help)
  }
  return { kind: 'type', name, type, span: c.spanFrom(start) }
}

const paramDeclaration = (c: Cursor, named: { name?: Name }): ParamDeclaration => {
  const start = c.advance()
  const name = c.ownName('the name of a param')
  named.name = name
  c.expectSymbol(':', `after 'param ${name.text}'`)
  const type = parseType(c)
  if (!c.takeSymbol('=')) {
    if (goesOn(c)) c.failExpecting("'=' and a default, or a new line")
    return { kind: 'param', name, type, span: c.spanFrom(start) }
  }
  // The param itself is known: what uses it is right.
  const standIn = c.attempt(
    () => parseConstant(c),
    () => skipToItem(c),
  )
  return { kind: 'param', name, type, span: c.spanFrom(start), ...(standIn ? { default: standIn } : {}) }
}

const binding = (c: Cursor, named: { name?: Name }): Binding => {
  const start = c.next
  c.startItem()
  const annotations = parseAnnotations(c)
  c.expectWord('let', 'after the annotation')
  const name = c.ownName('the name of a binding')
  named.name = name
  const signature = c.takeSymbol(':') ? parseSignature(c) : undefined
  const isCalled = !signature && c.isSymbol('(')
  c.expectSymbol(
    '=',
    signature ? 'after the signature' : `after 'let ${name.text}'`,
    isCalled
      ? `a function has no list of parameters: write 'let ${name.text} : A -> B = map(e)', where 'value' is what it takes`
      : undefined,
  )
  const impl = implementation(c)
  return { kind: 'binding', annotations, name, impl, span: c.spanFrom(start), ...(signature ? { signature } : {}) }
}

const implementation = (c: Cursor): Implementation => {
  const start = c.next
  if (c.takeWord('agent')) return { kind: 'agent', config: parseAgentConfig(c), span: c.spanFrom(start) }
  if (c.takeWord('tool')) return { kind: 'tool', config: parseObject(c, "after 'tool'"), span: c.spanFrom(start) }
  if (c.isWord('plumb')) return parsePlumb(c)
  if (c.isSymbol('{')) return parseObject(c, '')
  if (c.isSymbol('[') || isLiteral(c)) {
    const what = c.isSymbol('[')
      ? 'a list'
      : start.kind === 'string'
        ? 'a string'
        : start.kind === 'identifier'
          ? `'${start.text}'`
          : 'a number'
    const help =
      "a constant is 'param name : type = constant'; of a config, write 'let name = { key: … }' and use the name, or write the value where it is used"
    c.fail(`a binding is an agent, a tool, a plumb, a chain or a config value { … }, not ${what}`, start.span, help)
  }
  const chain = parseChain(c, false)
  refuseForeignWiring(c, 'binding')
  if (goesOn(c)) c.failExpecting("';' or a new line")
  return chain
}

// On the same line, with what begins no declaration.
const goesOn = (c: Cursor): boolean => {
  const { startsLine, kind, text } = c.next
  if (startsLine || kind === 'end' || kind === 'bad' || text === '@') return false
  return !['use', 'type', 'param', 'protocol', 'let', 'test'].includes(text)
}
