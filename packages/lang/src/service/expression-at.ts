// The expression under a place with what is known of it.

import type { Program } from '../compile.js'
import type { Bound } from '../names/names.js'
import type { Chain, Expression, FieldExpression, Name, Node } from '../parse/ast.js'
import { expressionsOf } from '../parse/expression-parts.js'
import type { Type } from '../types/type.js'
import { flowOf, type Known, knownOf } from './flow.js'
import { isOf } from './path-at.js'

export interface ExpressionContext {
  /** The whole that a `map`, a `filter`, a `fold`, an `until` or a key holds, and what it is applied to where that is known. */
  readonly whole: Expression
  readonly input: Type | undefined
  readonly known: Known
  /** The innermost part around the place. */
  readonly part: Expression
}

export const expressionAt = (path: readonly Node[], program: Program): ExpressionContext | undefined => {
  const at = path.findLastIndex(isOf('map', 'filter', 'fold', 'trace', 'barrier', 'condition'))
  const whole = path[at + 1]
  if (at < 0 || !whole || !isExpression(whole) || path[at] === undefined || !holds(path[at], whole)) return undefined
  const bound = bindingAround(path, program)
  const flow = bound && flowOf(bound)
  const input = flow?.inputs.get(whole)
  const part = path.findLast((node): node is Expression => isExpression(node)) ?? whole
  return { whole, input, known: input && bound ? knownOf(whole, input, bound.scope, flow?.states.get(whole)) : NOTHING, part }
}

const NOTHING: Known = {
  facts: new Map(),
  meanings: new Map(),
  moduleParams: new Map(),
  calls: new Map(),
  scopes: new Map(),
  inputs: new Map(),
  declared: new Map(),
  shorthands: new Set(),
}

/** The declared binding that a path leads into. */
export const bindingAround = (path: readonly Node[], { entry }: Program): Bound | undefined => {
  const binding = path.find(isOf('binding'))
  const bound = binding && 'name' in binding ? entry.bindings.get((binding.name as Name).text) : undefined
  return bound?.binding === binding ? bound : undefined
}

/** Is the place on the name after the dot? */
export const isOnField = (part: Expression, path: readonly Node[]): part is FieldExpression =>
  part.kind === 'field' && path.at(-1) === part.field

const EXPRESSIONS: Readonly<Record<Expression['kind'], true>> = {
  literal: true,
  name: true,
  unary: true,
  binary: true,
  if: true,
  let: true,
  match: true,
  call: true,
  field: true,
  index: true,
  slice: true,
  record: true,
  list: true,
  comprehension: true,
  template: true,
}

export const isExpression = (node: Node): node is Expression => 'kind' in node && Object.hasOwn(EXPRESSIONS, node.kind as string)

// A trace holds a chain in addition to its condition, and a chain has fields too.
const holds = (atom: Node, e: Expression): boolean =>
  ('expression' in atom && atom.expression === e) || expressionsOf(atom as Chain).includes(e)
