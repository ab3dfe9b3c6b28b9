// The types in one binding: the inputs of expressions, and the nodes of morphisms.

import { checkBaseChain } from '../base/base-chain.js'
import { bindingNamedBy } from '../base/lone-name.js'
import type { Span } from '../diagnostic/source.js'
import { openInference } from '../expression/infer/check.js'
import type { Context } from '../expression/infer/context.js'
import type { Local } from '../expression/infer/environment.js'
import type { Bound, Scope } from '../names/names.js'
import type { Expression, Name, QualifiedName } from '../parse/ast.js'
import type { GraphNode } from '../plan/graph.js'
import { graphOf } from '../plan/root.js'
import { JSON_TYPE, type Type, UNIT } from '../types/type.js'

export interface Flow {
  /** By the expression of a `map`, a `filter`, a `fold` or an `until`, by a first state or a key, and by the name after the dot of a chain's `.field`. */
  readonly inputs: ReadonlyMap<Expression | Name, Type>
  /** By the place where the morphism or the process is. */
  readonly nodes: ReadonlyMap<Span, GraphNode>
  /** By the place of an `each`: where its lists leave. */
  readonly exits: ReadonlyMap<Span, GraphNode>
  /** Expressions that are the name of a binding, which `map` applies. */
  readonly lifted: ReadonlyMap<Expression, QualifiedName>
  /** By the expression of a `fold`. */
  readonly states: ReadonlyMap<Expression, Local>
}

/** As far as it is known: after a wiring error it is not. */
export const flowOf = (bound: Bound): Flow => {
  const inputs = new Map<Expression | Name, Type>()
  const nodes = new Map<Span, GraphNode>()
  const exits = new Map<Span, GraphNode>()
  const lifted = new Map<Expression, QualifiedName>()
  const states = new Map<Expression, Local>()
  const look = (expression: Expression, type: Type | undefined, isLifted?: boolean) => {
    if (!type) return
    const name = isLifted === false ? undefined : bindingNamedBy(expression, isLifted ? JSON_TYPE : type, bound.scope)
    if (name) {
      lifted.set(expression, name)
      return
    }
    inputs.set(expression, type)
    if (expression.kind === 'field') inputs.set(expression.field, type)
  }
  const { impl } = bound.binding
  if (impl.kind === 'agent')
    for (const { value } of impl.config.entries) if (value.kind === 'condition') look(value.expression, bound.inputs[0], false)
  if (impl.kind === 'agent' || impl.kind === 'tool' || impl.kind === 'object') return { inputs, nodes, exits, lifted, states }
  if (bound.category === 'base' && impl.kind !== 'plumb') checkBaseChain(bound, impl, ignore, look)
  if (bound.category === 'stream') {
    for (const node of graphOf(bound, ignore).nodes) {
      const { work } = node
      if (work.kind === 'map') look(work.expression, node.inputs[0]?.type, work.lifted !== undefined)
      if (work.kind === 'call') look(work.expression, node.inputs[0]?.type, true)
      if (work.kind === 'fold') {
        look(work.expression, node.inputs[0]?.type, false)
        states.set(work.expression, work.state)
        look(work.from, UNIT, false)
        if (work.by) look(work.by, node.inputs[0]?.type, false)
      }
      if (work.kind === 'join') for (const [i, key] of work.keys.entries()) look(key, node.inputs[i]?.type, false)
      if (work.kind === 'filter') look(work.expression, node.inputs[0]?.type, false)
      if (work.kind === 'gather') exits.set(node.span, node)
      if (!nodes.has(node.span)) nodes.set(node.span, node)
    }
  }
  return { inputs, nodes, exits, lifted, states }
}

/** What is known of an expression's parts, given what it is applied to, and the state of a `fold`. */
export const knownOf = (expression: Expression, input: Type, scope: Scope, locals?: Local): Known => {
  const context = openInference({ input, scope, locals }, ignore)
  context.infer(expression)
  return context
}

export type Known = Pick<Context, 'facts' | 'meanings' | 'moduleParams' | 'calls' | 'scopes' | 'inputs' | 'declared' | 'shorthands'>

const ignore = (): void => {}
