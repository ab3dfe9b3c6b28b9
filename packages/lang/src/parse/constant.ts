// constant = literal | "[" … "]" | "{" key ":" constant … "}": the default of a field or a param.

import type { Constant } from './ast.js'
import type { Cursor } from './cursor.js'
import { isLiteral, parseLiteral } from './literal.js'

export const parseConstant = (c: Cursor): Constant => c.nested(constant)

const constant = (c: Cursor): Constant => {
  const start = c.next
  if (isLiteral(c)) return parseLiteral(c)
  if (c.takeSymbol('[')) {
    const items = c.isSymbol(']') ? [] : [parseConstant(c)]
    while (items.length > 0 && c.takeSymbol(',')) items.push(parseConstant(c))
    c.expectSymbol(']', 'after the list')
    return { kind: 'list', items, span: c.spanFrom(start) }
  }
  if (!c.takeSymbol('{')) c.fail('a default is a string, a number, true, false, null, or a list or a record of such')
  const entries = c.isSymbol('}') ? [] : [entry(c)]
  while (entries.length > 0 && c.takeSymbol(',')) entries.push(entry(c))
  c.expectSymbol('}', "after the field (or ',' and another field)")
  const seen = new Set<string>()
  for (const { key } of entries) {
    if (seen.has(key.text)) c.fail(`the field '${key.text}' is given twice`, key.span, 'give it once')
    seen.add(key.text)
  }
  return { kind: 'object', entries, span: c.spanFrom(start) }
}

const entry = (c: Cursor): { key: ReturnType<Cursor['fieldName']>; value: Constant; span: ReturnType<Cursor['spanFrom']> } => {
  const start = c.next
  const key = c.fieldName('the name of a field')
  c.expectSymbol(':', `after the field '${key.text}'`)
  return { key, value: parseConstant(c), span: c.spanFrom(start) }
}

/** As JSON: numbers keep their digits. */
export const textOfConstant = (e: Constant): string => {
  switch (e.kind) {
    case 'value':
      return e.text
    case 'list':
      return `[${e.items.map(textOfConstant).join(',')}]`
    case 'object':
      return `{${e.entries.map(({ key, value }) => `${JSON.stringify(key.text)}:${textOfConstant(value)}`).join(',')}}`
  }
}
