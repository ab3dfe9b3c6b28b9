// Chains: `;`, `*` and `+` with a space on either side; what does not fit goes on in lines that begin with the operator.

import { unreachable } from '../diagnostic/unreachable.js'
import type { BatchAtom, Chain, EachAtom, Expression, FoldAtom, JoinOptions, MapAtom, Reference, Setting, TraceAtom } from '../parse/ast.js'
import { bracketed } from './bracket.js'
import type { Doc } from './doc.js'
import { expression, soleArgument } from './expression.js'
import { literal } from './literal.js'
import { operation } from './operation.js'
import { inParentheses, type Placement } from './parentheses.js'
import { qualifiedName } from './qualified-name.js'
import type { TokenReader } from './token-reader.js'

export const chain = (r: TokenReader, node: Chain, place: Placement): Doc =>
  inParentheses(r, node, isChainOperation(node), place, (place) => bare(r, node, place))

export const isChainOperation = ({ kind }: { readonly kind: string }): boolean =>
  kind === 'sequence' || kind === 'tensor' || kind === 'choice'

const bare = (r: TokenReader, node: Chain, place: Placement): Doc => {
  switch (node.kind) {
    case 'sequence':
    case 'tensor':
    case 'choice':
      return operation(
        r,
        place,
        node.items.map((item) => () => chain(r, item, 'operand')),
      )
    case 'field':
      return [chain(r, node.of, 'operand'), r.glueAndTake('close'), r.glueAndTake('open')]
    case 'map':
      return [r.take(), r.glue('close'), node.parallel ? map(r, node.parallel, node) : soleArgument(r, node.expression)]
    case 'filter':
      return [r.take(), r.glue('close'), soleArgument(r, node.expression)]
    case 'project':
      return [r.take(), r.glue('close'), bracketed(r, [() => r.take()])]
    case 'endorse':
    case 'declassify':
      return [r.take(), r.glue('close'), bracketed(r, [() => literal(r)])]
    case 'batch':
      return [r.take(), r.glue('close'), batch(r, node)]
    case 'fold':
      return [r.take(), r.glue('close'), fold(r, node)]
    case 'each':
      return [r.take(), r.glue('close'), each(r, node)]
    case 'trace':
      return [r.take(), r.glue('close'), trace(r, node)]
    case 'reference':
      return reference(r, node)
    case 'id':
    case 'copy':
    case 'merge':
    case 'discard':
    case 'empty':
    case 'flatten':
      return r.take()
    case 'barrier':
      return node.join ? [r.take(), r.glue('close'), join(r, node.join)] : r.take()
    default:
      return unreachable(node)
  }
}

const map = (r: TokenReader, parallel: Setting, { expression: e }: MapAtom): Doc =>
  bracketed(r, [() => expression(r, e, 'part'), () => option(r, parallel)])

const batch = (r: TokenReader, { size, within }: BatchAtom): Doc =>
  bracketed(r, [...(size ? [() => setting(r, size)] : []), ...(within ? [() => option(r, within)] : [])])

const join = (r: TokenReader, { by, within, unmatched }: JoinOptions): Doc => {
  const [first] = by
  const options = [
    ...(first ? [{ at: first.span.start, value: () => keys(r, by) }] : []),
    ...(within ? [{ at: within.span.start, value: () => setting(r, within) }] : []),
    ...(unmatched ? [{ at: unmatched.span.start, value: () => literal(r) }] : []),
  ].sort((a, b) => a.at - b.at)
  return bracketed(
    r,
    options.map(({ value }) => () => [r.take(), r.glueAndTake('close'), r.glue('space'), value()]),
  )
}

const keys = (r: TokenReader, by: readonly Expression[]): Doc => {
  const [only] = by
  if (only && by.length === 1 && !r.isSymbol('(')) return expression(r, only, 'part')
  return bracketed(
    r,
    by.map((key) => () => expression(r, key, 'part')),
  )
}

const fold = (r: TokenReader, node: FoldAtom): Doc =>
  bracketed(r, [
    () => expression(r, node.expression, 'part'),
    ...[node.from, node.by, node.emit]
      .filter((option) => option !== undefined)
      .sort((a, b) => a.span.start - b.span.start)
      .map((option) => () => [
        r.take(),
        r.glueAndTake('close'),
        r.glue('space'),
        option.kind === 'value' ? literal(r) : expression(r, option, 'part'),
      ]),
  ])

const option = (r: TokenReader, node: Setting): Doc => [r.take(), r.glueAndTake('close'), r.glue('space'), setting(r, node)]

const setting = (r: TokenReader, node: Setting): Doc => (node.kind === 'name' ? qualifiedName(r, node.name) : literal(r))

const each = (r: TokenReader, node: EachAtom): Doc => {
  const options = [node.parallel, node.onError].filter((option) => option !== undefined)
  const asWritten = options.sort((a, b) => a.span.start - b.span.start)
  return bracketed(r, [() => chain(r, node.chain, 'part'), ...asWritten.map((o) => () => option(r, o))])
}

const trace = (r: TokenReader, node: TraceAtom): Doc => {
  const options = [node.max, node.until].filter((option) => option !== undefined)
  return bracketed(r, [() => chain(r, node.chain, 'part'), ...options.map(() => () => traceOption(r, node))])
}

const traceOption = (r: TokenReader, { until }: TraceAtom): Doc => {
  const isUntil = r.next.text === 'until' && until !== undefined
  return [r.take(), r.glueAndTake('close'), r.glue('space'), isUntil ? expression(r, until, 'part') : literal(r)]
}

// No comment can be before the `@` of a port.
const reference = (r: TokenReader, { name: { module }, port }: Reference): Doc => [
  module ? [inParentheses(r, module, false, 'operand', () => r.take()), r.glueAndTake('close'), r.glueAndTake('open')] : r.take(),
  port ? [r.take(), r.glueAndTake('open')] : '',
]
