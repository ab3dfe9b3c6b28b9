// Config values: literals, lists, objects, names of other bindings, the template of a prompt, and expressions where a key takes one.

import type { Condition, EntryOf, ListOf, Name, NameValue, ObjectOf, ObjectValue, Value } from './ast.js'
import type { Cursor } from './cursor.js'
import { parseExpression, parseTemplate } from './expression.js'
import { helpBehindKey, helpBehindValue } from './foreign-key.js'
import { isLiteral, parseLiteral } from './literal.js'
import { MORPHISMS } from './morphism.js'

export const parseObject = (c: Cursor, where: string): ObjectValue => parseObjectOf(c, where, parseValue)

/** The keys of an agent. */
export const parseAgentConfig = (c: Cursor): ObjectValue =>
  parseObjectOf(c, "after 'agent'", (c, { text }) => (text === 'conversation' ? parseCondition(c) : parseValue(c)))

export const parseCondition = (c: Cursor): Condition => {
  const expression = parseExpression(c)
  return { kind: 'condition', expression, span: expression.span }
}

/** With values of some kind, which may depend on their key. */
export const parseObjectOf = <V>(c: Cursor, where: string, parse: (c: Cursor, key: Name) => V): ObjectOf<V> => {
  const start = c.expectSymbol('{', where, c.isSymbol('(') ? `write '${c.previous.text} { key: value, … }'` : undefined)
  const entries: EntryOf<V>[] = []
  while (!c.isSymbol('}')) {
    const first = c.next
    if (c.startsItem && !c.isSymbol(':', 1)) c.failExpecting("',' or '}'")
    const key = first.kind === 'string' ? { text: c.advance().text, span: first.span } : c.anyName("a key or '}'")
    c.expectSymbol(':', `after the key '${key.text}'`, helpBehindKey(c, key.text))
    const value = c.nested(() => parse(c, key))
    entries.push({ key, value, span: c.spanFrom(first) })
    if (!c.takeSymbol(',') && !c.isSymbol('}') && !c.next.startsLine) {
      c.failExpecting("',' or '}'", helpBehindValue(c))
    }
  }
  c.advance()
  return { kind: 'object', entries, span: c.spanFrom(start) }
}

export const parseListOf = <V>(c: Cursor, parse: (c: Cursor) => V): ListOf<V> => {
  const start = c.expectSymbol('[', '')
  const items: V[] = []
  if (!c.isSymbol(']')) {
    do items.push(c.nested(() => parse(c)))
    while (c.takeSymbol(','))
  }
  c.expectSymbol(']', 'after the list')
  return { kind: 'list', items, span: c.spanFrom(start) }
}

export const parseValue = (c: Cursor): Value => {
  const start = c.next
  if (isLiteral(c)) return parseLiteral(c)
  if (c.isSymbol('{')) return parseObject(c, '')
  if (start.kind === 'template') return parseTemplate(c)
  if (c.isSymbol('[')) return parseListOf(c, parseValue)
  // A morphism's own word names what a tool lowers: `process: id`.
  return parseName(c, MORPHISMS.has(start.text) ? c.anyName('a value') : c.ownName('a value'))
}

/** `first`, or `first.name`. */
export const parseName = (c: Cursor, first: Name): NameValue => {
  if (!c.takeSymbol('.')) return { kind: 'name', name: { name: first, span: first.span }, span: first.span }
  const name = c.ownName('a name')
  const span = c.spanFrom(first)
  return { kind: 'name', name: { module: first, name, span }, span }
}
