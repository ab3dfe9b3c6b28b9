// `plumb(p, q) { … }`: a statement a line.

import type { PlumbImplementation, Statement } from '../parse/ast.js'
import { bracketed, emptyBracket } from './bracket.js'
import { chain } from './chain.js'
import { type Doc, group, indent } from './doc.js'
import { breaking, closing } from './gap.js'
import { qualifiedName } from './qualified-name.js'
import type { TokenReader } from './token-reader.js'
import { port } from './type.js'

export const plumb = (r: TokenReader, { parameters, statements }: PlumbImplementation): Doc => {
  const head = [
    r.take(),
    r.glue('close'),
    bracketed(
      r,
      parameters.map(() => () => r.take()),
    ),
    r.glue('space'),
  ]
  const open = r.take()
  const first = r.gap()
  if (statements.length === 0) return [head, emptyBracket(r, open, first, ' ')]
  const lines = statements.map((node, i) => [breaking(i === 0 ? first : r.gap(), 'hard', i > 0 || 'but first'), statement(r, node)])
  const { inside, outside } = closing(r.gap(), 'hard', true)
  return [head, group([open, indent([lines, inside]), outside, r.take()])]
}

const statement = (r: TokenReader, node: Statement): Doc => {
  if (node.kind === 'wire') return chain(r, node.chain, 'part')
  if (node.kind === 'channel') {
    const name = [r.take(), r.glueAndTake('space'), r.glueAndTake('space'), r.glue('space')]
    return [name, port(r, node.port), r.glueAndTake('space'), r.glueAndTake('space')]
  }
  const process = [r.take(), r.glue('space'), qualifiedName(r, node.process), r.glue('close')]
  return [
    process,
    bracketed(
      r,
      node.arguments.map(({ port }) => () => [r.take(), port ? [r.glueAndTake('close'), r.glueAndTake('open')] : '']),
    ),
  ]
}
