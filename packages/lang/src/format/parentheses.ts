// Parentheses: an operation that is an operand keeps the pair that it was written with, needed or not, since it is there for readers;
// all others go, but for those around a comment.

import type { Node } from '../parse/ast.js'
import { type Doc, group, indent } from './doc.js'
import { breaking, closing } from './gap.js'
import type { TokenReader } from './token-reader.js'

/**
 * Where something is: `sole` between its brackets, where lines that go on need no indentation; as a `part` of a list, a field or a
 * statement; or as an `operand`.
 */
export type Placement = 'sole' | 'part' | 'operand'

export const inParentheses = (
  r: TokenReader,
  node: Node,
  isOperation: boolean,
  place: Placement,
  print: (place: Placement) => Doc,
): Doc => {
  const { start, end } = node.span
  let written = 0
  while (r.isSymbol('(', written) && r.peek(written).span.start < start) written++
  if (written === 0) return print(place)
  const last = r.from(end, written - 1)?.span.end ?? end
  const isCommented = r.hasComment(r.next.span.start, last)
  const kept = isCommented ? written : isOperation && place === 'operand' ? 1 : 0
  for (let i = kept; i < written; i++) r.drop()
  const doc = nest(r, kept, place, print)
  for (let i = kept; i < written; i++) r.drop()
  return doc
}

const nest = (r: TokenReader, depth: number, place: Placement, print: (place: Placement) => Doc): Doc => {
  if (depth === 0) return print(place)
  const open = [r.take(), indent([breaking(r.gap(), ''), nest(r, depth - 1, 'sole', print)])]
  const { inside, outside } = closing(r.gap(), '')
  return group([open, indent(inside), outside, r.take()])
}
