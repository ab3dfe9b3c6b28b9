// The default of a field or a param.

import type { Constant } from '../parse/ast.js'
import { bracketed } from './bracket.js'
import type { Doc } from './doc.js'
import { literal } from './literal.js'
import type { TokenReader } from './token-reader.js'

export const constant = (r: TokenReader, node: Constant): Doc => {
  if (node.kind === 'value') return literal(r)
  if (node.kind === 'list') {
    return bracketed(
      r,
      node.items.map((item) => () => constant(r, item)),
      { isAuthors: true },
    )
  }
  return bracketed(
    r,
    node.entries.map(({ value }) => () => [r.take(), r.glueAndTake('close'), r.glue('space'), constant(r, value)]),
    { padding: ' ', isAuthors: true },
  )
}
