// Protocols: steps with a ` . ` between them, and choices that keep their lines.

import type { Branch, ProtocolDeclaration, ProtocolStep, Steps } from '../parse/ast.js'
import { bracketed } from './bracket.js'
import { type Doc, group, indent } from './doc.js'
import { breaking } from './gap.js'
import { operation } from './operation.js'
import type { Placement } from './parentheses.js'
import { qualifiedName } from './qualified-name.js'
import type { TokenReader } from './token-reader.js'
import { type } from './type.js'

export const protocol = (r: TokenReader, node: ProtocolDeclaration): Doc => {
  const head = [r.take(), r.glueAndTake('space'), r.glueAndTake('space')]
  // Steps that do not fit begin on the next line, so that their points are below each other; a choice begins behind the sign.
  if (node.steps.list.length === 1 || node.steps.list[0].kind === 'choice') return [head, r.glue('space'), steps(r, node.steps, 'operand')]
  return [head, group(indent([breaking(r.gap(), ' '), steps(r, node.steps, 'sole')]))]
}

const steps = (r: TokenReader, { list }: Steps, place: Placement): Doc =>
  operation(
    r,
    place,
    list.map((one) => () => step(r, one)),
  )

const step = (r: TokenReader, node: ProtocolStep): Doc => {
  switch (node.kind) {
    case 'send':
    case 'recv':
      return [r.take(), r.glue('space'), type(r, node.type, 'operand')]
    case 'call':
      return [r.take(), r.glueAndTake('space')]
    case 'loop':
    case 'end':
      return r.take()
    case 'named':
      return qualifiedName(r, node.name)
    case 'choice':
      return bracketed(
        r,
        node.branches.map((one) => () => branch(r, one)),
        { padding: ' ', isAuthors: true },
      )
  }
}

const branch = (r: TokenReader, node: Branch): Doc =>
  node.kind === 'labelled' ? [r.take(), r.glueAndTake('close'), r.glue('space'), steps(r, node.steps, 'operand')] : r.take()
