// Which processes can end a message that goes round in a cycle.

import { type Bound, resolveName, type Scope } from '../names/names.js'
import type { Expression } from '../parse/ast.js'
import { chainsOf } from '../parse/chain-parts.js'
import { callsIn, expressionsOf } from '../parse/expression-parts.js'
import type { Graph, GraphNode } from '../plan/graph.js'
import { agentConfig } from './agent.js'

/** A chain is looked into; all else that is not known to send on what comes may end it. */
export const canEnd = (node: GraphNode, graphOf: (bound: Bound) => Graph, depth = 0): boolean => {
  const { work } = node
  switch (work.kind) {
    case 'input':
    case 'output':
    case 'barrier':
    case 'call':
      return false
    case 'map':
      return fails(work.expression, work.scope) || (work.lifted !== undefined && bindingFails(work.lifted))
    case 'pass':
      if (!work.chain) return false
      return depth >= MAX_DEPTH || graphOf(work.chain).nodes.some((part) => canEnd(part, graphOf, depth + 1))
    case 'agent':
      return agentEnds(work.bound)
    default:
      return true
  }
}

/** Chains of chains; further in, one may end what comes. */
const MAX_DEPTH = 20

/** A binding that it calls may fail. */
const fails = (expression: Expression, scope: Scope): boolean =>
  callsIn(expression).some(
    ({ module, function: name, span }) =>
      name.text === 'fail' || resolveName({ name, span, ...(module ? { module } : {}) }, scope) !== undefined,
  )

const bindingFails = ({ binding: { impl }, scope }: Bound): boolean =>
  chainsOf(impl).some((chain) => expressionsOf(chain).some((expression) => fails(expression, scope)))

const agentEnds = ({ binding: { impl }, scope }: Bound): boolean => {
  if (impl.kind !== 'agent') return true
  const config = agentConfig(impl, scope)
  return config.has('max_messages') || config.get('answers')?.value === 'some'
}
