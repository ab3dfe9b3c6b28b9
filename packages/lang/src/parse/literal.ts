// literal = STRING | NUMBER | "-" NUMBER | "true" | "false" | "null"

import type { Literal } from './ast.js'
import { type Cursor, LITERAL_WORDS } from './cursor.js'

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
