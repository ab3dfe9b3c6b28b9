// The paths of messages from one entrance to main's outputs, if all nodes on them are stateless: id, copy, merge, map, filter.

import { environmentOf, type GraphNode, type MessageScanners, type Step, stepsOf } from '@plumb/lang'
import type { Edges } from './edges.js'
import { typeAt } from './morphism/expression.js'

export interface Branch {
  readonly steps: readonly Step[]
  readonly output: GraphNode
}

/** Where paths split and join repeatedly, their number grows exponentially. */
const MAX_BRANCHES = 16
/** With more nodes, the branches are a cycle, or too many to be worth it. */
const MAX_NODES = 256

const stepsAt = (node: GraphNode): readonly Step[] | undefined => {
  const { work } = node
  if (work.kind === 'map' && work.lifted) return stepsOf(work.lifted)
  return work.kind === 'map' || work.kind === 'filter'
    ? [{ kind: work.kind, expression: work.expression, ...environmentOf(node) }]
    : undefined
}

/** In the order in which a message passes them. Undefined: another kind of node is on one of them. */
export const branchesBehind = (entrance: GraphNode, edges: Edges, scanners: MessageScanners): readonly Branch[] | undefined => {
  const scanner = scanners.of(typeAt(entrance))
  const branches: Branch[] = []
  let nodes = 0
  const walk = (from: GraphNode, steps: readonly Step[]): boolean => {
    if (++nodes > MAX_NODES) return false
    const next = edges.outOf(from)
    // What would be computed once would be computed for each of them.
    if (steps.length > 0 && next.length !== 1) return false
    return next
      .toSorted((a, b) => a.output - b.output)
      .every(({ to, isChecked }) => {
        const { kind } = to.work
        if (kind === 'map' || kind === 'filter') {
          const input = typeAt(to)
          if (steps.length === 0 ? scanners.of(input) !== scanner : isChecked) return false
          const own = stepsAt(to)
          return own !== undefined && walk(to, [...steps, ...own])
        }
        if (isChecked) return false
        if (kind === 'pass') return walk(to, steps)
        if (kind !== 'output' || branches.length === MAX_BRANCHES) return false
        branches.push({ steps, output: to })
        return true
      })
  }
  return walk(entrance, []) ? branches : undefined
}
