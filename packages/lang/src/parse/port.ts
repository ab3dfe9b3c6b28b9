// ports = port | "(" [ port { "," port } ] ")" ; port = "!" type | type

import type { Port, Signature } from './ast.js'
import type { Cursor } from './cursor.js'
import { parseType } from './type.js'

export const parseSignature = (c: Cursor): Signature => {
  const start = c.next
  const inputs = ports(c)
  c.expectSymbol('->', 'between input and output')
  const outputs = ports(c)
  return { inputs, outputs, span: c.spanFrom(start) }
}

// `(` opens a list of ports if `!` or `)` follows; else it opens a tuple or a sum in parentheses.
const ports = (c: Cursor): Port[] => {
  if (!c.isSymbol('(') || !(c.isSymbol('!', 1) || c.isSymbol(')', 1))) return [parsePort(c)]
  c.advance()
  const list: Port[] = []
  if (c.takeSymbol(')')) return list
  do list.push(parsePort(c))
  while (c.takeSymbol(','))
  c.expectSymbol(')', "after the ports (or ',' and another port)")
  return list
}

export const parsePort = (c: Cursor): Port => {
  const start = c.next
  const isStream = c.takeSymbol('!')
  const type = parseType(c)
  return { isStream, type, span: c.spanFrom(start) }
}
