// ports = port | "(" [ port { "," port } ] ")" ; port = "!" type | [ "~" ] type

import type { Port, Signature } from './ast.js'
import type { Cursor } from './cursor.js'
import type { Token } from './lexer.js'
import { parseType } from './type.js'

export const parseSignature = (c: Cursor): Signature => {
  const start = c.next
  const inputs = ports(c)
  const help = c.isSymbol('=') ? HELP[inputs[0]?.isStream ? 'stream' : 'bare'] : undefined
  c.expectSymbol('->', 'between input and output', help)
  const outputs = ports(c)
  const [first] = inputs
  // Of ends of conversations alone: `(P, Q) -> !A`. Else bare types and streams are mixed.
  const { type } = first ?? {}
  const isOwn = type?.kind === 'tuple' && type.span.start === first?.span.start && type.span.end === first.span.end
  if (isOwn && type.items.every(({ kind }) => kind === 'named') && outputs.some(({ isStream }) => isStream)) {
    const ends = type.items.map((item) => ({ isStream: false, type: item, span: item.span }))
    return { inputs: ends, outputs, span: c.spanFrom(start) }
  }
  return { inputs, outputs, span: c.spanFrom(start) }
}

const HELP = {
  stream: "a process has an input and an output: '!A -> !B'",
  bare: "a function has an input and an output: 'A -> B'; a constant is a param: 'param name : type = constant'",
}

const ports = (c: Cursor): Port[] => {
  if (!opensPorts((distance) => c.peek(distance))) return [parsePort(c)]
  c.advance()
  const list: Port[] = []
  if (c.takeSymbol(')')) return list
  do list.push(parsePort(c))
  while (c.takeSymbol(','))
  c.expectSymbol(')', "after the ports (or ',' and another port)")
  return list
}

/** `(` opens a list of ports if one in it begins with `!` or `~`, or it is empty; else it opens a tuple or a sum in parentheses. */
export const opensPorts = (peek: (distance: number) => Pick<Token, 'kind' | 'text' | 'startsLine'>): boolean => {
  const isSymbol = (text: string, distance: number) => peek(distance).kind === 'symbol' && peek(distance).text === text
  if (!isSymbol('(', 0)) return false
  if (isSymbol(')', 1)) return true
  let depth = 1
  for (let i = 1; depth > 0 && peek(i).kind !== 'end'; i++) {
    if (depth === 1 && (isSymbol('(', i - 1) || isSymbol(',', i - 1)) && (isSymbol('!', i) || isSymbol('~', i))) return true
    if (isSymbol('->', i) || isSymbol('=', i) || isSymbol(';', i)) return false
    if (['(', '[', '{'].some((open) => isSymbol(open, i))) depth++
    if ([')', ']', '}'].some((close) => isSymbol(close, i))) depth--
  }
  return false
}

export const parsePort = (c: Cursor): Port => {
  const start = c.next
  const isStream = c.takeSymbol('!')
  const isDual = !isStream && c.takeSymbol('~')
  const type = parseType(c)
  if (isDual && type.kind !== 'named') c.fail("'~' stands before the name of a protocol", start.span)
  return { isStream, type, ...(isDual ? { isDual } : {}), span: c.spanFrom(start) }
}
