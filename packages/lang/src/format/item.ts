// What is at the top of a file: `use`, `type`, `param`, `protocol`, `let` and `test`.

import { unreachable } from '../diagnostic/unreachable.js'
import type { Binding, Implementation, Item, ParamDeclaration, TestDeclaration, TypeDeclaration, Use } from '../parse/ast.js'
import { annotations } from './annotation.js'
import { plumb } from './body.js'
import { chain, isChainOperation } from './chain.js'
import { constant } from './constant.js'
import { type Doc, group, indent } from './doc.js'
import { breaking } from './gap.js'
import { protocol } from './protocol.js'
import { qualifiedName } from './qualified-name.js'
import type { TokenReader } from './token-reader.js'
import { signature, type } from './type.js'
import { object } from './value.js'

export const item = (r: TokenReader, node: Item): Doc => {
  switch (node.kind) {
    case 'use':
      return use(r, node)
    case 'type':
      return typeDeclaration(r, node)
    case 'param':
      return param(r, node)
    case 'protocol':
      return protocol(r, node)
    case 'binding':
      return binding(r, node)
    case 'test':
      return test(r, node)
    default:
      return unreachable(node)
  }
}

const use = (r: TokenReader, node: Use): Doc => [
  r.take(),
  r.glueAndTake('space'),
  node.as ? [r.glueAndTake('space'), r.glueAndTake('space')] : '',
]

const typeDeclaration = (r: TokenReader, node: TypeDeclaration): Doc => {
  const head = [r.take(), r.glueAndTake('space'), r.glueAndTake('space')]
  return [head, afterEquals(r, node.type.kind === 'sum', () => type(r, node.type, 'sole'))]
}

const param = (r: TokenReader, node: ParamDeclaration): Doc => [
  [r.take(), r.glueAndTake('space'), r.glueAndTake('space'), r.glue('space')],
  type(r, node.type, node.default ? 'operand' : 'sole'),
  node.default ? [r.glueAndTake('space'), r.glue('space'), constant(r, node.default)] : '',
]

const binding = (r: TokenReader, node: Binding): Doc => {
  const head = [annotations(r, node.annotations, 'hard'), r.take(), r.glueAndTake('space')]
  const ports = node.signature ? [r.glueAndTake('space'), r.glue('space'), signature(r, node.signature.inputs, node.signature.outputs)] : ''
  return [head, ports, r.glueAndTake('space'), afterEquals(r, isChainOperation(node.impl), () => implementation(r, node.impl))]
}

const test = (r: TokenReader, node: TestDeclaration): Doc => [
  [r.take(), r.glueAndTake('space'), r.glueAndTake('space'), r.glue('space')],
  [qualifiedName(r, node.of), r.glue('space'), object(r, node.config)],
]

// An operation that does not fit begins on the next line, so that its operators are below each other.
const afterEquals = (r: TokenReader, isOperation: boolean, print: () => Doc): Doc =>
  isOperation ? group(indent([breaking(r.gap(), ' '), print()])) : [r.glue('space'), print()]

const implementation = (r: TokenReader, node: Implementation): Doc => {
  switch (node.kind) {
    case 'agent':
    case 'tool':
      return [r.take(), r.glue('space'), object(r, node.config)]
    case 'plumb':
      return plumb(r, node)
    case 'object':
      return object(r, node)
    default:
      return chain(r, node, 'sole')
  }
}
