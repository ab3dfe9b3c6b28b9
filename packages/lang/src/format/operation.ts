// Operands with operators between them: on one line, or a line for each, which begins with its operator.

import { type Doc, group, indent } from './doc.js'
import { breaking } from './gap.js'
import type { Placement } from './parentheses.js'
import type { TokenReader } from './token-reader.js'

export const operation = (r: TokenReader, place: Placement, operands: readonly (() => Doc)[]): Doc => {
  const [first, ...others] = operands
  const start = first?.() ?? ''
  const rest = others.map((operand) => [breaking(r.gap(), ' '), r.take(), r.glue('space'), operand()])
  return group([start, place === 'sole' ? rest : indent(rest)])
}
