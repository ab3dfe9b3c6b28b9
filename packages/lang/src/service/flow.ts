// What flows where in one binding: the types that expressions are applied to, and the nodes that morphisms became.

import type { Expression, Name } from '../ast.js'
import { checkBaseChain } from '../check/base-chain.js'
import { openInference } from '../expression/check.js'
import type { Fact } from '../expression/context.js'
import type { Bound } from '../names.js'
import type { GraphNode } from '../plan/graph.js'
import { graphOf } from '../plan/root.js'
import type { Span } from '../source.js'
import type { Type } from '../types/type.js'

export interface Flow {
  /** By the expression of a `map`, a `filter` or an `until`, and by the name behind the dot of a chain's `.field`. */
  readonly inputs: ReadonlyMap<Expression | Name, Type>
  /** By the place where the morphism or the process stands. */
  readonly nodes: ReadonlyMap<Span, GraphNode>
}

/** As far as it is known: where the wiring has an error, what stands behind it is not. */
export const flowOf = (bound: Bound): Flow => {
  const inputs = new Map<Expression | Name, Type>()
  const nodes = new Map<Span, GraphNode>()
  const look = (expression: Expression, type: Type | undefined) => {
    if (!type) return
    inputs.set(expression, type)
    if (expression.kind === 'field') inputs.set(expression.field, type)
  }
  const { impl } = bound.binding
  if (impl.kind === 'agent' || impl.kind === 'tool' || impl.kind === 'object') return { inputs, nodes }
  if (bound.category === 'base' && impl.kind !== 'plumb') checkBaseChain(bound, impl, ignore, look)
  if (bound.category === 'stream') {
    for (const node of graphOf(bound, ignore).nodes) {
      if (node.work.kind === 'map' || node.work.kind === 'filter') look(node.work.expression, node.inputs[0]?.type)
      if (!nodes.has(node.span)) nodes.set(node.span, node)
    }
  }
  return { inputs, nodes }
}

/** What is known of an expression's parts, given what it is applied to. */
export const factsOf = (expression: Expression, input: Type): ReadonlyMap<Expression, Fact> => {
  const context = openInference(input, ignore)
  context.infer(expression)
  return context.facts
}

const ignore = (): void => {}
