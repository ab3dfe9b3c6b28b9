// Selects the graph that the command line asks to run: a binding, or one part of it; and checks what this machine lacks for it.

import { type Bound, type Diagnostic, errorsOf, type Graph, type Program, planOf } from '@plumb/lang'
import { fail, type Result, succeed } from '@plumb/wire'
import type { RunOptions } from '../options/run-options.js'
import { findMissing, type Lack } from '../spec/missing.js'
import { selectBinding } from '../spec/select-binding.js'
import { findSkillProblems } from '../spec/skills.js'

export interface ChosenGraph {
  readonly bound: Bound
  readonly graph: Graph
  readonly lacks: readonly Lack[]
  /** Errors in the skills of its agents. */
  readonly diagnostics: readonly Diagnostic[]
}

export const chooseGraph = async (program: Program, options: RunOptions): Promise<Result<ChosenGraph>> => {
  const bound = selectBinding(program, options.run.binding)
  if (!bound.ok) return bound
  const whole = planOf(bound.value)
  const { part } = options.parent
  const graph = part === undefined ? succeed(whole) : await selectPart(whole, part)
  if (!graph.ok) return graph
  const needed = part === undefined ? [bound.value] : graph.value.nodes.flatMap(({ work }) => ('bound' in work ? [work.bound] : []))
  // A parent has already checked.
  const isLookedAt = options.run.isDry || options.spec.sourcesFd !== undefined
  const lacks = isLookedAt
    ? []
    : findMissing(needed, { ...options.agents, agentProgram: options.programs.agent }).filter(({ need }) => !need.isOptional)
  const diagnostics = isLookedAt ? [] : errorsOf(await findSkillProblems(needed))
  return succeed({ bound: bound.value, graph: graph.value, lacks, diagnostics })
}

const selectPart = async (graph: Graph, id: number): Promise<Result<Graph>> => {
  const { partOf, partsOf } = await import('@plumb/lang/parts')
  const parts = partsOf(graph)
  const part = parts.find((one) => one.id === id)
  if (part) return succeed(partOf(graph, part))
  const have = parts.length === 1 ? 'it has one part' : `it has parts 1 to ${parts.length}`
  return fail('usage', `there is no part ${id}: ${have}, as 'plumb render --parts' shows`)
}
