// Expressions, with a space on either side of an operator of two operands.

import type {
  BinaryExpression,
  BinaryOperator,
  CallExpression,
  Comprehension,
  Expression,
  IfExpression,
  KeyFunction,
  LetExpression,
  MatchArm,
  MatchExpression,
  RecordPart,
  SliceExpression,
} from '../parse/ast.js'
import { staysBlock } from './block-text.js'
import { bracketed } from './bracket.js'
import { type Doc, group, indent } from './doc.js'
import { breaking, closing, hasNewline } from './gap.js'
import { operation } from './operation.js'
import { inParentheses, type Placement } from './parentheses.js'
import { isBlockTemplate, template } from './template.js'
import type { TokenReader } from './token-reader.js'
import { type } from './type.js'

export const expression = (r: TokenReader, node: Expression, place: Placement): Doc =>
  inParentheses(r, node, isOperation(node), place, (place) => bare(r, node, place))

export const isOperation = ({ kind }: Expression): boolean => kind === 'binary' || kind === 'unary' || kind === 'if' || kind === 'let'

const bare = (r: TokenReader, node: Expression, place: Placement): Doc => {
  switch (node.kind) {
    case 'literal':
    case 'name':
      return r.take()
    case 'unary':
      return unary(r, node.operand)
    case 'binary':
      return operation(r, place, node.operator === '??' ? rightward(r, node) : leftward(r, node))
    case 'if': {
      const lines = branches(r, node)
      return group(place === 'sole' ? lines : indent(lines))
    }
    case 'let': {
      const lines = letIn(r, node)
      return group(place === 'sole' ? lines : indent(lines))
    }
    case 'match':
      return match(r, node)
    case 'call':
      return [r.take(), node.module ? [r.glueAndTake('close'), r.glueAndTake('open')] : [], r.glue('close'), callArguments(r, node)]
    case 'field':
      return [expression(r, node.of, 'operand'), r.glueAndTake('close'), r.glueAndTake('open')]
    case 'index':
      return [expression(r, node.of, 'operand'), r.glue('close'), bracketed(r, [() => expression(r, node.index, 'sole')])]
    case 'slice':
      return [expression(r, node.of, 'operand'), r.glue('close'), slice(r, node)]
    case 'comprehension':
      return comprehension(r, node)
    case 'template':
      return template(r, node)
    case 'record':
      return bracketed(
        r,
        node.parts.map((part) => () => recordPart(r, part)),
        { padding: ' ', isAuthors: true },
      )
    case 'list':
      return bracketed(
        r,
        node.items.map((item) => () => expression(r, item, 'part')),
        { isAuthors: true },
      )
  }
}

// `not` and its other spelling `!`.
const unary = (r: TokenReader, operand: Expression): Doc => {
  const glue = r.next.kind === 'identifier' ? 'space' : 'open'
  return [r.take(), r.glue(glue), expression(r, operand, 'operand')]
}

// Operators of one strength make one list.
const leftward = (r: TokenReader, node: BinaryExpression): (() => Doc)[] => {
  const operands: Expression[] = []
  let left: Expression = node
  while (left.kind === 'binary' && left.span.start === node.span.start && strength(left.operator) === strength(node.operator)) {
    operands.unshift(left.right)
    left = left.left
  }
  return [left, ...operands].map((operand) => () => expression(r, operand, 'operand'))
}

const rightward = (r: TokenReader, node: BinaryExpression): (() => Doc)[] => {
  const operands: Expression[] = [node.left]
  let right = node.right
  while (right.kind === 'binary' && right.operator === '??' && r.before(right.span.start)?.text === '??') {
    operands.push(right.left)
    right = right.right
  }
  return [...operands, right].map((operand) => () => expression(r, operand, 'operand'))
}

const STRENGTH: Readonly<Record<string, number>> = { '??': 0, or: 1, and: 2, '+': 4, '-': 4, '*': 5, '/': 5, '%': 5 }

const strength = (operator: BinaryOperator): number => STRENGTH[operator] ?? 3

// `if … then …`, then `else if … then …` and `else …`, each on a line of its own if they do not all fit on one.
const branches = (r: TokenReader, node: IfExpression): Doc => {
  const condition = [r.take(), r.glue('space'), expression(r, node.condition, branchPlace(node.condition)), r.glueAndTake('space')]
  const then = indent([breaking(r.gap(), ' '), expression(r, node.then, branchPlace(node.then))])
  const start = [group([condition, then]), breaking(r.gap(), ' '), r.take()]
  const otherwise = node.else
  if (otherwise.kind !== 'if') return [start, group(indent([breaking(r.gap(), ' '), expression(r, otherwise, 'part')]))]
  return [start, r.glue('space'), inParentheses(r, otherwise, true, 'part', () => branches(r, otherwise))]
}

// `let x = e in`, then what it is for, on a line of its own if they do not fit on one.
const letIn = (r: TokenReader, { value, body }: LetExpression): Doc => {
  const head = [r.take(), r.glueAndTake('space'), r.glueAndTake('space'), r.glue('space')]
  const named = [head, expression(r, value, branchPlace(value)), r.glueAndTake('space')]
  const gap = breaking(r.gap(), ' ')
  if (body.kind !== 'let') return [group(named), gap, expression(r, body, 'part')]
  return [group(named), gap, inParentheses(r, body, true, 'part', () => letIn(r, body))]
}

const match = (r: TokenReader, { of, arms }: MatchExpression): Doc => [
  r.take(),
  r.glue('space'),
  expression(r, of, 'part'),
  r.glue('space'),
  bracketed(
    r,
    arms.map((node) => () => arm(r, node)),
    { padding: ' ', isAuthors: true },
  ),
]

const arm = (r: TokenReader, { pattern, body }: MatchArm): Doc => [
  pattern ? [r.take(), r.glueAndTake('space'), r.glue('space'), type(r, pattern.type, 'part')] : r.take(),
  r.glueAndTake('space'),
  r.glue('space'),
  expression(r, body, 'part'),
]

// Only after `else` an `if` needs no parentheses to be understood.
const branchPlace = ({ kind }: Expression): Placement => (kind === 'if' || kind === 'let' ? 'operand' : 'part')

// `from:to` with nothing around the colon.
const slice = (r: TokenReader, { from, to }: SliceExpression): Doc => {
  const parts: Doc[] = [r.take(), r.glue('open')]
  if (from) parts.push(expression(r, from, 'operand'), r.glue('close'))
  parts.push(r.take(), r.glue(to ? 'open' : 'close'))
  if (to) parts.push(expression(r, to, 'operand'), r.glue('close'))
  return [parts, r.take()]
}

// The item, then each `for` with its `if`, each on a line of its own if they do not all fit on one.
const comprehension = (r: TokenReader, { item, loops }: Comprehension): Doc => {
  const open = r.take()
  const first = r.gap()
  const parts: Doc[] = [breaking(first, ''), expression(r, item, 'part')]
  for (const { list, condition } of loops) {
    parts.push(breaking(r.gap(), ' '), r.take(), r.glueAndTake('space'), r.glueAndTake('space'), r.glue('space'))
    parts.push(expression(r, list, 'part'))
    if (condition) parts.push(breaking(r.gap(), ' '), r.take(), r.glue('space'), expression(r, condition, 'part'))
  }
  const { inside, outside } = closing(r.gap(), '')
  return group([open, indent([parts, inside]), outside, r.take()], hasNewline(first))
}

const callArguments = (r: TokenReader, { arguments: nodes, key }: CallExpression): Doc => {
  const [only] = nodes
  if (only && nodes.length === 1 && !key) return soleArgument(r, only)
  const parts = nodes.map((node) => () => expression(r, node, 'part'))
  return bracketed(r, key ? [...parts, () => keyFunction(r, key)] : parts)
}

export const keyFunction = (r: TokenReader, { body }: KeyFunction): Doc => [
  r.take(),
  r.glueAndTake('space'),
  r.glue('space'),
  expression(r, body, 'part'),
]

/** `(argument)`. Data in brackets of its own, and text of several lines, begin on the line of the parenthesis. */
export const soleArgument = (r: TokenReader, node: Expression): Doc => {
  const { start, end } = node.span
  const isData =
    node.kind === 'record' ||
    node.kind === 'list' ||
    node.kind === 'comprehension' ||
    node.kind === 'match' ||
    (node.kind === 'template' && isBlockTemplate(node)) ||
    (node.kind === 'literal' && staysBlock(node.span.source.text.slice(start, end)))
  // Parentheses around it go, unless a comment is in them.
  let written = 0
  while (r.isSymbol('(', written + 1) && r.peek(written + 1).span.start < start) written++
  const last = written === 0 ? start : (r.from(end, written - 1)?.span.end ?? end)
  if (!isData || r.hasComment(r.next.span.start, last)) {
    return bracketed(r, [() => expression(r, node, 'sole')])
  }
  return [r.take(), r.glue('open'), expression(r, node, 'sole'), r.glueAndTake('close')]
}

const recordPart = (r: TokenReader, part: RecordPart): Doc => {
  if (part.kind === 'spread') return [r.take(), r.glue('open'), expression(r, part.of, 'part')]
  if (part.kind === 'computed') {
    const key = bracketed(r, [() => expression(r, part.key, 'sole')])
    return [key, r.glueAndTake('close'), r.glue('space'), expression(r, part.value, 'part')]
  }
  if (part.isShorthand) return r.take()
  return [r.take(), r.glueAndTake('close'), r.glue('space'), expression(r, part.value, 'part')]
}
