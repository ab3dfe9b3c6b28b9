// A lowered process that is nothing but morphisms, one after the other: no process is needed, since lower(lift(f)) = f.

import { type Bound, compileCheck, compileMap, type Edge, type GraphNode, planOf } from '@plumb/lang'
import { type Result, succeed } from '@plumb/wire'
import type { JsonText } from '../../json-text.js'
import { type Step, stepOf, WORDS } from './inline-step.js'

/** Undefined where it is more than a straight line of id, map and discard. */
export const straightStep = (bound: Bound): Step | undefined => {
  if (bound.binding.impl.kind === 'copy') return WORDS.copy
  const { nodes, edges } = planOf(bound)
  const steps: Step[] = []
  let node = nodes.find(({ work }) => work.kind === 'input')
  for (let seen = 1; node; seen++) {
    const leaving: Edge[] = edges.filter(({ from }) => from === node)
    const [edge] = leaving
    // Every node is on the line, and each has one edge to the next.
    if (node.work.kind === 'output') return leaving.length === 0 && seen === nodes.length ? inTurn(steps) : undefined
    if (!edge || leaving.length > 1 || edges.filter(({ to }) => to === edge.to).length > 1) return undefined
    const step = nodeStep(edge.to, edge.isChecked)
    if (!step) return undefined
    if (step !== WORDS.id) steps.push(step)
    node = edge.to
  }
  return undefined
}

const nodeStep = ({ work, inputs }: GraphNode, isChecked: boolean): Step | undefined => {
  const type = inputs[0]?.type ?? { kind: 'json' }
  if (work.kind === 'map') return stepOf(compileMap(work.expression, type))
  if (work.kind === 'discard') return WORDS.discard
  const isPass = work.kind === 'output' || (work.kind === 'pass' && !work.isSelector)
  if (!isPass) return undefined
  return isChecked ? stepOf(compileCheck(type)) : WORDS.id
}

const inTurn =
  (steps: readonly Step[]): Step =>
  (input) => {
    let result: Result<JsonText> = succeed(input)
    for (const step of steps) {
      if (!result.ok) break
      result = step(result.value)
    }
    return result
  }
