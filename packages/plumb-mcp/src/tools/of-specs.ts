// The exports of the specs that were named: each `@tool` and `tool { … }` of their own, and each agent with the input `{input}`.

import { normalize } from 'node:path'
import {
  type AgentPlan,
  agentsOf,
  compile,
  errorsOf,
  givenTexts,
  hasAgentLimits,
  hasErrors,
  type Program,
  STANDARD_LIBRARY,
  showDiagnostics,
  type ToolPlan,
  toolsOf,
} from '@plumb/lang'
import { openOwnBudget } from '@plumb/ledger'
import { withFlows } from '@plumb/policy'
import { loadFunctions, openRegistry, type Registered, type Session } from '@plumb/tool/internal'
import { diskFiles, type GivenOptions, type Reporter, readGivenValues, type SourceFiles, searchPath, withParams } from '@plumb/wire'
import { fromRegistered } from './from-registry.js'
import type { ServedTool } from './served-tool.js'
import type { Sessions } from './sessions.js'

export interface SpecsOptions {
  readonly sessions: Sessions
  readonly reporter: Reporter
  /** Seconds for a call of an agent. */
  readonly timeout: number
  /** The values of params. */
  readonly given: GivenOptions
  /** Checks where data may go, whether or not the specs use labels. */
  readonly flows: boolean | undefined
}

export interface ToolsOfSpecs {
  readonly tools: readonly ServedTool[]
  readonly programs: readonly Program[]
}

/** Undefined: all errors, in all specs, were reported. */
export const toolsOfSpecs = async (paths: readonly string[], options: SpecsOptions): Promise<ToolsOfSpecs | undefined> => {
  const all: (OpenedSpec | undefined)[] = []
  for (const path of paths) all.push(await openSpec(normalize(path), options))
  if (!all.every((opened) => opened !== undefined)) return undefined
  return { tools: all.flatMap(toolsOfSpec), programs: all.map(({ program }) => program) }
}

const toolsOfSpec = ({ tools, session, agents }: OpenedSpec): readonly ServedTool[] =>
  tools.map((registered) => fromRegistered(registered, session, agents.has(registered.plan.name)))

export interface OpenedSpec {
  readonly program: Program
  readonly tools: readonly Registered[]
  /** The agents among them. */
  readonly agents: ReadonlySet<string>
  readonly session: Session
}

/** Undefined: all errors were reported. */
export const openSpec = async (path: string, options: SpecsOptions): Promise<OpenedSpec | undefined> => {
  const { reporter } = options
  const files = diskFiles(searchPath(), STANDARD_LIBRARY)
  const text = files.read(path)
  if (!text.ok) {
    reporter.report(text.error)
    return undefined
  }
  const given = readGivenValues(options.given)
  if (!given.ok) {
    reporter.report(given.error)
    return undefined
  }
  const compiled = await withFlows(compile({ path, text: text.value, files, given: given.value }), options)
  const { program, diagnostics, params, faults } = compiled
  if (hasErrors(diagnostics)) {
    showDiagnostics(errorsOf(diagnostics), reporter, reporter.isJson)
    reporter.status = 2
    return undefined
  }
  for (const fault of faults) reporter.report(fault)
  const budget = openOwnBudget(hasAgentLimits(program))
  if (!budget.ok) reporter.report(budget.error)
  return faults.length > 0 || !budget.ok ? undefined : exportsOf(program, withParams(files, givenTexts(params)), options)
}

const exportsOf = async (
  program: Program,
  files: SourceFiles,
  { sessions, reporter, timeout }: SpecsOptions,
): Promise<OpenedSpec | undefined> => {
  const plans = toolsOf(program).filter(({ bound }) => isOwn(bound.scope, program))
  const agents = agentsOf(program).filter(({ bound }) => isOwn(bound.scope, program))
  const session = sessions.of(files)
  const functions = await loadFunctions(plans, session)
  const { registry, faults } = openRegistry([...functions.plans, ...agents.map((agent) => agentAsTool(agent, timeout))])
  const all = [...faults, ...functions.faults]
  for (const fault of all) reporter.report(fault)
  if (all.length > 0) return undefined
  return { program, tools: registry.list(), agents: new Set(agents.map(({ name }) => name)), session }
}

// A module's bindings are exported only by a binding of the spec.
const isOwn = (scope: unknown, { entry }: Program): boolean => scope === entry

/** An agent as a tool: each call is a fresh conversation in a process of its own. `timeout` in seconds. */
const agentAsTool = (agent: AgentPlan, timeout: number): ToolPlan => {
  const { name, bound, input, output, specPath, span, config } = agent
  const description = agent.description ?? (typeof config.description === 'string' ? config.description : undefined)
  return {
    name,
    // A binding of its own, from which the effects of the agent are derived.
    bound: { ...bound },
    input,
    output,
    isExposed: true,
    specPath,
    span,
    ...(description === undefined ? {} : { description }),
    body: { kind: 'tool', source: 'process', config: { timeout }, process: { kind: 'bound', bound }, parts: [] },
  }
}
