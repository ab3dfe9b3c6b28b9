// Config values: literals, lists, objects, names of other bindings, and the template of a prompt.

import type { Entry, Literal, ObjectValue, Value } from './ast.js'
import { type Cursor, LITERAL_WORDS } from './cursor.js'
import { parseTemplate } from './expression.js'
import { MORPHISMS } from './morphism.js'

export const isLiteral = (c: Cursor): boolean => {
  const t = c.next
  if (t.kind === 'identifier') return LITERAL_WORDS.has(t.text)
  return t.kind === 'string' || t.kind === 'number' || (c.isSymbol('-') && c.peek(1).kind === 'number')
}

export const parseLiteral = (c: Cursor): Literal => {
  const start = c.advance()
  if (start.kind === 'string') return { kind: 'value', value: start.text, text: JSON.stringify(start.text), span: start.span }
  const word = LITERAL_WORDS.get(start.text)
  if (start.kind === 'identifier' && word !== undefined) return { kind: 'value', value: word, text: start.text, span: start.span }
  const text = start.text === '-' ? `-${c.advance().text}` : start.text
  return { kind: 'value', value: Number(text), text, span: c.spanFrom(start) }
}

export const parseObject = (c: Cursor, where: string): ObjectValue => {
  const start = c.expectSymbol('{', where)
  const entries: Entry[] = []
  while (!c.isSymbol('}')) {
    const first = c.next
    if (c.startsItem && !c.isSymbol(':', 1)) c.failExpecting("',' or '}'")
    const key = first.kind === 'string' ? { text: c.advance().text, span: first.span } : c.anyName("a key or '}'")
    c.expectSymbol(':', `after the key '${key.text}'`)
    const value = c.nested(() => parseValue(c))
    entries.push({ key, value, span: c.spanFrom(first) })
    if (!c.takeSymbol(',') && !c.isSymbol('}') && !c.next.startsLine) {
      c.failExpecting("',' or '}'")
    }
  }
  c.advance()
  return { kind: 'object', entries, span: c.spanFrom(start) }
}

const parseValue = (c: Cursor): Value => {
  const start = c.next
  if (isLiteral(c)) return parseLiteral(c)
  if (c.isSymbol('{')) return parseObject(c, '')
  if (start.kind === 'template') return parseTemplate(c)
  if (c.takeSymbol('[')) {
    const items: Value[] = []
    if (!c.isSymbol(']')) {
      do items.push(c.nested(() => parseValue(c)))
      while (c.takeSymbol(','))
    }
    c.expectSymbol(']', 'after the list')
    return { kind: 'list', items, span: c.spanFrom(start) }
  }
  // A morphism's own word names what a tool lowers: `process: id`.
  const first = MORPHISMS.has(start.text) ? c.anyName('a value') : c.ownName('a value')
  if (!c.takeSymbol('.')) return { kind: 'name', name: { name: first, span: first.span }, span: first.span }
  const name = c.ownName('a name')
  const span = c.spanFrom(first)
  return { kind: 'name', name: { module: first, name, span }, span }
}
