// Types and the ports of signatures.

import type { FieldType, MapTypeNode, Port, TypeExpression } from '../parse/ast.js'
import { opensPorts } from '../parse/port.js'
import { annotations } from './annotation.js'
import { bracketed } from './bracket.js'
import { constant } from './constant.js'
import type { Doc } from './doc.js'
import { operation } from './operation.js'
import { inParentheses, type Placement } from './parentheses.js'
import { qualifiedName } from './qualified-name.js'
import type { TokenReader } from './token-reader.js'

export const type = (r: TokenReader, node: TypeExpression, place: Placement): Doc =>
  inParentheses(r, node, node.kind === 'sum', place, (place) => bare(r, node, place))

const bare = (r: TokenReader, node: TypeExpression, place: Placement): Doc => {
  switch (node.kind) {
    case 'primitive':
    case 'literal':
      return r.take()
    case 'named':
      return qualifiedName(r, node.name)
    case 'labelled':
      return [r.take(), r.glue('space'), type(r, node.type, 'operand')]
    case 'array':
      return bracketed(r, [() => type(r, node.item, 'sole')])
    case 'map':
      return bracketed(r, [() => map(r, node)], { padding: ' ', isAuthors: true })
    case 'tuple':
      return bracketed(
        r,
        node.items.map((item) => () => type(r, item, 'part')),
      )
    case 'record':
      return bracketed(r, [...node.fields.map((f) => () => field(r, f)), ...(node.isOpen ? [() => r.take()] : [])], {
        padding: ' ',
        isAuthors: true,
      })
    case 'sum':
      return operation(
        r,
        place,
        node.variants.map((variant) => () => type(r, variant, 'operand')),
      )
  }
}

const map = (r: TokenReader, node: MapTypeNode): Doc => [
  r.take(),
  r.glueAndTake('close'),
  r.glueAndTake('close'),
  r.glueAndTake('close'),
  r.glue('space'),
  type(r, node.item, 'part'),
]

const field = (r: TokenReader, node: FieldType): Doc => [
  annotations(r, node.annotations, ' '),
  r.take(),
  node.isOptional ? r.glueAndTake('close') : '',
  r.glueAndTake('close'),
  r.glue('space'),
  type(r, node.type, node.default ? 'operand' : 'part'),
  node.default ? [r.glueAndTake('space'), r.glue('space'), constant(r, node.default)] : '',
]

/** `inputs -> outputs`. */
export const signature = (r: TokenReader, inputs: readonly Port[], outputs: readonly Port[]): Doc => [
  ports(r, inputs),
  r.glueAndTake('space'),
  r.glue('space'),
  ports(r, outputs),
]

const ports = (r: TokenReader, nodes: readonly Port[]): Doc => {
  const isListed = opensPorts((distance) => r.peek(distance))
  const [only] = nodes
  if (!only || nodes.length > 1)
    return bracketed(
      r,
      nodes.map((node) => () => port(r, node)),
    )
  if (!isListed) return port(r, only)
  const end = r.from(only.span.end, 0)?.span.end ?? only.span.end
  if (r.hasComment(r.next.span.start, end)) return bracketed(r, [() => port(r, only)])
  r.drop()
  const doc = port(r, only)
  r.drop()
  return doc
}

export const port = (r: TokenReader, node: Port): Doc => [
  node.isStream || node.isDual ? [r.take(), r.glue('open')] : '',
  type(r, node.type, 'operand'),
]
