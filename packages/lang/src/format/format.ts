// Text → the same program in the one layout (plumb(1), fmt): tokens and comments in their order, only what separates them is new, but for
// parentheses and commas that are not needed.

import type { Diagnostic } from '../diagnostic/diagnostic.js'
import type { Source } from '../diagnostic/source.js'
import { tokenize } from '../parse/lexer.js'
import { parse } from '../parse/parser.js'
import { type Doc, line } from './doc.js'
import { breaking, closing, starting } from './gap.js'
import { item } from './item.js'
import { layout } from './layout.js'
import { TokenReader } from './token-reader.js'

export type Formatted = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] }

/**
 * Idempotent. Lines end with LF, there is no byte-order mark, and the `#!` line stays as it is. A text with syntax errors has no layout.
 */
export const format = (source: Source): Formatted => {
  const diagnostics: Diagnostic[] = []
  const { items, shebang } = parse(source, (d) => diagnostics.push(d))
  if (diagnostics.length > 0) return { ok: false, diagnostics }
  const r = new TokenReader(
    source,
    tokenize(source, () => {}),
  )
  const parts: Doc[] = []
  items.forEach((node, i) => {
    const gap = r.gap()
    parts.push(i === 0 && shebang === undefined ? starting(gap) : breaking(gap, 'hard', true), item(r, node))
  })
  const last = r.gap()
  if (items.length > 0 || shebang !== undefined) parts.push(closing(last, 'hard', true).inside, line('hard'))
  else if (last.comments.length > 0) parts.push(starting({ ...last, newlines: 1 }))
  return { ok: true, text: layout([shebang ?? '', parts]) }
}
