// Types and expressions from their text; throws where there is anything wrong with it.

import type { Expression, TypeExpression } from '../src/parse/ast.js'
import { textOfConstant } from '../src/parse/constant.js'
import { parseExpressionText, parseTypeText } from '../src/parse/parser.js'
import type { Type } from '../src/types/type.js'

export const refuse = ({ message }: { message: string }) => {
  throw new Error(message)
}

const toType = (e: TypeExpression): Type => {
  switch (e.kind) {
    case 'primitive':
      return { kind: e.name }
    case 'literal':
      return { kind: 'literal', value: e.value }
    case 'array':
    case 'map':
      return { kind: e.kind, item: toType(e.item) }
    case 'tuple':
      return { kind: 'tuple', items: e.items.map(toType) }
    case 'sum':
      return { kind: 'sum', variants: e.variants.map(toType) }
    case 'record': {
      const fields = e.fields.map((f) => ({
        name: f.name.text,
        type: toType(f.type),
        isOptional: f.isOptional,
        ...(f.default ? { default: textOfConstant(f.default) } : {}),
      }))
      return { kind: 'record', fields, ...(e.isOpen ? { isOpen: true } : {}) }
    }
    default:
      throw new Error(`no ${e.kind} here`)
  }
}
/** Without names. */
export const type = (text: string): Type => {
  const e = parseTypeText({ path: 'type', text }, refuse)
  if (!e) throw new Error(text)
  return toType(e)
}
export const expression = (text: string): Expression => {
  const e = parseExpressionText({ path: 'expression', text }, refuse)
  if (!e) throw new Error(text)
  return e
}
