// annotation = "@" ( IDENT | "tool" ) [ literal ], the value true when left out.

import type { Annotation } from './ast.js'
import type { Cursor } from './cursor.js'
import { isLiteral, parseLiteral } from './literal.js'

export const parseAnnotations = (c: Cursor): Annotation[] => {
  const annotations: Annotation[] = []
  while (c.isSymbol('@')) {
    const start = c.advance()
    const name = c.anyName('the name of an annotation')
    const value = isLiteral(c) ? parseLiteral(c) : ({ kind: 'value', value: true, text: 'true', span: name.span } as const)
    if (!c.next.startsLine && (c.isSymbol('(') || c.isSymbol('/'))) {
      c.failExpecting("a value, or 'let'", `write '@${name.text} "…"'`)
    }
    annotations.push({ name, value, span: c.spanFrom(start) })
  }
  return annotations
}
