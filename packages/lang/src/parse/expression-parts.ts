// What an expression is made of: the one table for every walk that treats all parts alike.

import { unreachable } from '../diagnostic/unreachable.js'
import type { CallExpression, Chain, Expression, RecordPart } from './ast.js'

/** The expressions that are in it, one step deep, in the order written. */
export const partsOfExpression = (e: Expression): readonly (Expression | undefined)[] => {
  switch (e.kind) {
    case 'literal':
    case 'name':
      return []
    case 'unary':
      return [e.operand]
    case 'binary':
      return [e.left, e.right]
    case 'if':
      return [e.condition, e.then, e.else]
    case 'let':
      return [e.value, e.body]
    case 'match':
      return [e.of, ...e.arms.map(({ body }) => body)]
    case 'call':
      return [...e.arguments, e.key?.body]
    case 'field':
      return [e.of]
    case 'index':
      return [e.of, e.index]
    case 'slice':
      return [e.of, e.from, e.to]
    case 'record':
      return e.parts.flatMap(partsOfRecordPart)
    case 'list':
      return e.items
    case 'comprehension':
      return [e.item, ...e.loops.flatMap(({ list, condition }) => [list, condition])]
    case 'template':
      return e.holes
    default:
      return unreachable(e)
  }
}

const partsOfRecordPart = (part: RecordPart): readonly Expression[] => {
  if (part.kind === 'spread') return [part.of]
  return part.kind === 'computed' ? [part.key, part.value] : [part.value]
}

/** All calls in an expression, of functions and of bindings. */
export const callsIn = (e: Expression): readonly CallExpression[] => {
  const found: CallExpression[] = []
  addCalls(e, found)
  return found
}

const addCalls = (e: Expression, found: CallExpression[]): void => {
  if (e.kind === 'literal' || e.kind === 'name') return
  if (e.kind === 'call') found.push(e)
  for (const part of partsOfExpression(e)) if (part) addCalls(part, found)
}

/** The expressions that a morphism holds itself; not those of the chains in it. */
export const expressionsOf = (chain: Chain): readonly Expression[] => {
  if (chain.kind === 'map' || chain.kind === 'filter') return [chain.expression]
  if (chain.kind === 'fold') return [chain.expression, chain.from, ...(chain.by ? [chain.by] : [])]
  if (chain.kind === 'barrier') return chain.join?.by ?? []
  return chain.kind === 'trace' && chain.until ? [chain.until] : []
}
