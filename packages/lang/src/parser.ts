// Tokens → syntax tree, by recursive descent along the grammar of language.md: programs, signatures, bodies.
// Types, chains, config values and expressions have files of their own under parse/.

import type { Binding, Implementation, Item, Name, Port, Program, Signature, Statement, TypeDeclaration, Use } from './ast.js'
import { Cursor, SyntaxFailure } from './cursor.js'
import type { Report } from './diagnostic.js'
import { tokenize } from './lexer.js'
import { parseAnnotations } from './parse/annotation.js'
import { parseChain } from './parse/chain.js'
import { parseExpression as expression } from './parse/expression.js'
import { parseType } from './parse/type.js'
import { parseObject } from './parse/value.js'
import type { Source } from './source.js'

export interface Parsed extends Program {
  /** Names whose declaration has a syntax error: who uses them is not told of it again. */
  readonly broken: readonly string[]
}

/** Every syntax error is reported; what could be read is in the result. */
export const parse = (source: Source, report: Report): Parsed => {
  const { tokens, comments, shebang } = tokenize(source, report)
  const c = new Cursor(tokens, report)
  const items: Item[] = []
  const broken: string[] = []
  while (c.next.kind !== 'end') {
    const start = c.next
    const named: { name?: Name } = {}
    try {
      items.push(item(c, named))
    } catch (failure) {
      if (!(failure instanceof SyntaxFailure)) throw failure
      if (named.name) broken.push(named.name.text)
      if (c.next === start) c.advance()
      skipToItem(c)
    }
  }
  const span = { source, start: 0, end: source.text.length }
  return { items, comments, broken, span, ...(shebang === undefined ? {} : { shebang }) }
}

/** One expression and nothing behind it. */
export const parseExpression = (source: Source, report: Report) => alone(source, report, expression)

/** One type and nothing behind it. */
export const parseTypeText = (source: Source, report: Report) => alone(source, report, parseType)

const alone = <T>(source: Source, report: Report, rule: (c: Cursor) => T): T | undefined => {
  const c = new Cursor(tokenize(source, report).tokens, report)
  try {
    const result = rule(c)
    if (c.next.kind !== 'end') c.fail(`unexpected '${c.next.text}'`)
    return result
  } catch (failure) {
    if (failure instanceof SyntaxFailure) return undefined
    throw failure
  }
}

// A declaration begins in the first column; in a file of one line, at any `let`, `type` or `use` behind the trouble.
const skipToItem = (c: Cursor): void => {
  let depth = 0
  while (c.next.kind !== 'end') {
    const isStart = c.isWord('let') || c.isWord('type') || c.isWord('use') || c.isSymbol('@')
    const { source, start } = c.next.span
    const isFirstColumn = start === 0 || source.text[start - 1] === '\n'
    if (isStart && (isFirstColumn || depth < 0 || (depth === 0 && !c.isSymbol('@') && !c.isSymbol('.', -1) && !c.isSymbol(':', 1)))) return
    if (c.isSymbol('{') || c.isSymbol('(') || c.isSymbol('[')) depth++
    if (c.isSymbol('}') || c.isSymbol(')') || c.isSymbol(']')) depth--
    c.advance()
  }
}

const item = (c: Cursor, named: { name?: Name }): Item => {
  if (c.isWord('use')) return use(c)
  if (c.isWord('type')) return typeDeclaration(c, named)
  if (c.isWord('let') || c.isSymbol('@')) return binding(c, named)
  return c.fail(`expected 'use', 'type', 'let' or an annotation, found '${c.next.text}'`)
}

const use = (c: Cursor): Use => {
  const start = c.advance()
  const t = c.next
  const by = t.kind === 'string' ? 'path' : 'name'
  const target = by === 'path' ? { text: c.advance().text, span: t.span } : c.ownName('the name of a module')
  const as = c.takeWord('as') ? c.ownName('the name of a module') : undefined
  return { kind: 'use', by, target, span: c.spanFrom(start), ...(as ? { as } : {}) }
}

const typeDeclaration = (c: Cursor, named: { name?: Name }): TypeDeclaration => {
  const start = c.advance()
  const name = c.ownName('the name of a type')
  named.name = name
  c.expectSymbol('=', `after 'type ${name.text}'`)
  const type = parseType(c)
  return { kind: 'type', name, type, span: c.spanFrom(start) }
}

const binding = (c: Cursor, named: { name?: Name }): Binding => {
  const start = c.next
  const annotations = parseAnnotations(c)
  c.expectWord('let', annotations.length ? 'after the annotation' : '')
  const name = c.ownName('the name of a binding')
  named.name = name
  const signature = c.takeSymbol(':') ? parseSignature(c) : undefined
  c.expectSymbol('=', signature ? 'after the signature' : `after 'let ${name.text}'`)
  const impl = implementation(c)
  return { kind: 'binding', annotations, name, impl, span: c.spanFrom(start), ...(signature ? { signature } : {}) }
}

const parseSignature = (c: Cursor): Signature => {
  const start = c.next
  const inputs = ports(c)
  c.expectSymbol('->', 'between input and output')
  const outputs = ports(c)
  return { inputs, outputs, span: c.spanFrom(start) }
}

// `(` opens a list of ports if `!` or `)` follows; else it opens a tuple or a sum in parentheses.
const ports = (c: Cursor): Port[] => {
  if (!c.isSymbol('(') || !(c.isSymbol('!', 1) || c.isSymbol(')', 1))) return [port(c)]
  c.advance()
  const list: Port[] = []
  if (c.takeSymbol(')')) return list
  do list.push(port(c))
  while (c.takeSymbol(','))
  c.expectSymbol(')', "after the ports (or ',' and another port)")
  return list
}

const port = (c: Cursor): Port => {
  const start = c.next
  const isStream = c.takeSymbol('!')
  const type = parseType(c)
  return { isStream, type, span: c.spanFrom(start) }
}

const implementation = (c: Cursor): Implementation => {
  const start = c.next
  if (c.takeWord('agent')) return { kind: 'agent', config: parseObject(c, "after 'agent'"), span: c.spanFrom(start) }
  if (c.takeWord('tool')) return { kind: 'tool', config: parseObject(c, "after 'tool'"), span: c.spanFrom(start) }
  if (c.isWord('plumb')) return plumb(c)
  if (c.isSymbol('{')) return parseObject(c, '')
  return parseChain(c, false)
}

const plumb = (c: Cursor): Implementation => {
  const start = c.advance()
  c.expectSymbol('(', "after 'plumb'")
  const parameters: Name[] = []
  do parameters.push(c.ownName('the name of a port'))
  while (c.takeSymbol(','))
  c.expectSymbol(')', 'after the ports')
  c.expectSymbol('{', 'before the body')
  const statements: Statement[] = []
  while (!c.isSymbol('}')) {
    if (c.next.kind === 'end') c.fail("expected '}' at the end of the body, found the end of the file")
    if (statements.length > 0 && !c.next.startsLine) c.fail(`expected ';' or a new line, found '${c.next.text}'`)
    statements.push(statement(c))
  }
  c.advance()
  return { kind: 'plumb', parameters, statements, span: c.spanFrom(start) }
}

const statement = (c: Cursor): Statement => {
  const start = c.next
  if (c.takeWord('let')) {
    const name = c.ownName('the name of a channel')
    c.expectSymbol(':', `after 'let ${name.text}': a body declares channels, as in 'let ${name.text} : !int = channel'`)
    const type = port(c)
    c.expectSymbol('=', 'after the type of the channel')
    c.expectWord('channel', "after '=': other bindings stand outside the body")
    return { kind: 'channel', name, port: type, span: c.spanFrom(start) }
  }
  if (c.takeWord('spawn')) {
    const first = c.ownName('the name of a process')
    const second = c.takeSymbol('.') ? c.ownName('the name of a process') : undefined
    const process = second ? { module: first, name: second, span: c.spanFrom(first) } : { name: first, span: first.span }
    c.expectSymbol('(', 'after the process')
    const args: { port?: Name; channel: Name; span: Name['span'] }[] = []
    if (!c.isSymbol(')')) {
      do {
        const name = c.anyName('a channel or a port')
        if (c.takeSymbol('=')) {
          const channel = c.ownName('a channel')
          args.push({ port: name, channel, span: c.spanFrom(name) })
        } else args.push({ channel: name, span: name.span })
      } while (c.takeSymbol(','))
    }
    c.expectSymbol(')', 'after the arguments')
    return { kind: 'spawn', process, arguments: args, span: c.spanFrom(start) }
  }
  const chain = parseChain(c, true)
  if (chain.kind !== 'sequence')
    c.fail('a chain in a body has at least two elements', chain.span, "wire it to something with ';', as in 'input ; f ; output'")
  return { kind: 'wire', chain, span: chain.span }
}
