// `@name literal`, before a binding or a field.

import type { Annotation } from '../parse/ast.js'
import { type Doc, group, type LineKind } from './doc.js'
import { breaking, hasNewline } from './gap.js'
import { literal } from './literal.js'
import type { TokenReader } from './token-reader.js'

/** Each with what separates it from what comes: on the same line, if they were on one and fit, or each on its own. */
export const annotations = (r: TokenReader, nodes: readonly Annotation[], kind: LineKind): Doc => {
  let mustBreak = false
  const parts = nodes.map((node): Doc => {
    const doc = annotation(r, node)
    const gap = r.gap()
    mustBreak ||= hasNewline(gap)
    return [doc, breaking(gap, kind)]
  })
  return group(parts, mustBreak)
}

const annotation = (r: TokenReader, { name, value }: Annotation): Doc => {
  const head = [r.take(), r.glueAndTake('open')]
  // Without a literal the value has the place of the name.
  return value.span === name.span ? head : [head, r.glue('space'), literal(r)]
}
