// Compiles a process that is a linear graph of morphisms to a function: lower(lift(f)) = f, so no child process is needed.

import {
  type Bound,
  callsMayLeaveOut,
  compileCheck,
  compileMap,
  type Edge,
  environmentOf,
  type GraphNode,
  planOf,
  stepsOf,
} from '@plumb/lang'
import { type Result, succeed } from '@plumb/wire'
import { compileStep, type InlineStep, MOVES } from '../../combine/inline-step.js'
import type { JsonText } from '../../json-text.js'

/** Undefined if the graph is anything but a line of id, map and discard, or a copy. */
export const compileLinearGraph = (bound: Bound): InlineStep | undefined => {
  if (bound.binding.impl.kind === 'copy') return MOVES.copy
  const { nodes, edges } = planOf(bound)
  const steps: InlineStep[] = []
  let node = nodes.find(({ work }) => work.kind === 'input')
  for (let seen = 1; node; seen++) {
    const leaving: Edge[] = edges.filter(({ from }) => from === node)
    const [edge] = leaving
    // The line is complete when it reaches the output and has visited every node.
    if (node.work.kind === 'output') return leaving.length === 0 && seen === nodes.length ? inTurn(steps) : undefined
    if (!edge || leaving.length > 1 || edges.filter(({ to }) => to === edge.to).length > 1) return undefined
    const step = nodeStep(edge.to, edge.isChecked)
    if (!step) return undefined
    if (step !== MOVES.id) steps.push(step)
    node = edge.to
  }
  return undefined
}

const nodeStep = (node: GraphNode, isChecked: boolean): InlineStep | undefined => {
  const { work } = node
  const environment = environmentOf(node)
  // Elements that it leaves out of a list could not be reported here.
  if (work.kind === 'map' && work.lifted) {
    const steps = stepsOf(work.lifted)
    if (steps?.some(({ expression, scope }) => callsMayLeaveOut(expression, scope))) return undefined
    return steps && inTurn(steps.map((step) => compileStep(compileMap(step.expression, step))))
  }
  if (work.kind === 'map' && callsMayLeaveOut(work.expression, work.scope)) return undefined
  if (work.kind === 'map') return compileStep(compileMap(work.expression, environment))
  if (work.kind === 'discard') return MOVES.discard
  const isPass = work.kind === 'output' || (work.kind === 'pass' && !work.isSelector)
  if (!isPass) return undefined
  return isChecked ? compileStep(compileCheck(environment.input)) : MOVES.id
}

const inTurn =
  (steps: readonly InlineStep[]): InlineStep =>
  (input) => {
    let result: Result<JsonText> = succeed(input)
    for (const step of steps) {
      if (!result.ok) break
      result = step(result.value)
    }
    return result
  }
