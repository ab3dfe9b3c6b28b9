// Opens a binding to answer requests: checks what a run checks, and starts nothing yet.

import { type Bound, type Graph, type GraphNode, isSharedNode, planOf, planOfCalls, writesFlowWords } from '@plumb/lang'
import { effectsOf } from '@plumb/policy'
import { type Fault, fail, fault, type Reporter, type Result, succeed } from '@plumb/wire'
import { openBoxes } from '../child/agent-sandboxes.js'
import type { SpawnSettings } from '../child/agent-start.js'
import { openForeignPrices } from '../child/allowance.js'
import type { Secrets } from '../event/secrets.js'
import { findDocroot } from '../options/docroot.js'
import type { RunOptions } from '../options/run-options.js'
import { sharesAgentLimits } from '../record/agent-limits.js'
import { openRunBudget } from '../record/run-budget.js'
import { checkAgents } from '../run/check-agents.js'
import type { LoadedSpec } from '../spec/load.js'
import { refuseDiagnostics } from '../spec/load.js'
import { findMissing } from '../spec/missing.js'
import { servesTools } from '../tools/dispatch.js'
import { mapsTools } from '../tools/mapped-tools.js'
import { openAuthoritySource } from '../tools/permissions.js'
import { ServedGraph } from './served-graph.js'

export interface ServedBinding {
  readonly bound: Bound
  readonly graph: ServedGraph
  /** Of its graph, with those of the plumbs in it. */
  readonly nodes: readonly GraphNode[]
  /** The secrets to hide. Undefined: nothing is secret. */
  readonly secrets: Secrets | undefined
}

/** Errors are reported; undefined: there were some. */
export const openServedBinding = async (
  bound: Bound,
  loaded: LoadedSpec,
  options: RunOptions,
  reporter: Reporter,
): Promise<ServedBinding | undefined> => {
  const refuse = (...errors: readonly Fault[]): undefined => {
    for (const error of errors) reporter.report(error)
  }
  const { permissions, agents, programs } = options
  const lacks = findMissing([bound], { ...agents, agentProgram: programs.agent }).filter(({ need }) => !need.isOptional)
  if (lacks.length > 0) return refuse(...lacks.map(({ code, message, need }) => fault(code, message, { process: need.by })))
  const graph = bound.category === 'base' ? planOfCalls(bound) : planOf(bound)
  const all = wholeOf(graph)
  const unshared = unsharedIn(bound, graph)
  if (unshared) return refuse(fault('spec_invalid', `'@shared' of '${bound.name}' is not for what belongs to a request: ${unshared}`))
  const docroot = permissions.docroot === undefined ? succeed(undefined) : findDocroot(permissions.docroot)
  if (!docroot.ok) return refuse(docroot.error)
  const authoritySource = await openAuthoritySource(permissions, undefined, servesTools(all) || mapsTools(all))
  if (!authoritySource.ok) return refuse(authoritySource.error)
  const { program } = loaded.compiled
  // What comes in over HTTP somebody outside has written.
  if (writesFlowWords(program)) {
    const { checkFlows } = await import('@plumb/lang/flow')
    const found = checkFlows(program, { effectsOf, isStrict: true, isServed: (one) => one === bound })
    const errors = found.filter(({ severity }) => severity === 'error')
    if (errors.length > 0) return void refuseDiagnostics(reporter, errors)
  }
  const secrets = writesFlowWords(program) ? (await import('../event/secrets.js')).secretsOf(program, bound, graph) : undefined
  const settings: SpawnSettings = {
    options,
    files: loaded.files,
    docroot: docroot.value,
    authoritySource: authoritySource.value,
    report: (error) => reporter.report(error),
    emitter: undefined,
    prices: await openForeignPrices(all, programs.agent),
    isRecorded: false,
    secrets,
    nestedRecord: () => [],
    resumed: undefined,
  }
  const boxes = await openBoxes(all, settings, reporter)
  if (!boxes || !(await checkAgents(all, settings, reporter))) return undefined
  return { bound, nodes: all.nodes, graph: new ServedGraph(bound, graph, { settings: { ...settings, boxes }, reporter }), secrets }
}

/** The budget of the whole server, for all that is started from now on. */
export const openServiceBudget = (specs: readonly LoadedSpec[], options: RunOptions): Result<void> => {
  const hasAgentLimits = specs.some(({ compiled }) => sharesAgentLimits(compiled.program, options))
  if (options.limits.deadlineMs !== undefined) return fail('usage', '--deadline is for a run, and a server has none')
  const opened = openRunBudget({ limits: options.limits, prices: options.display.prices, hasAgentLimits, path: undefined })
  return opened.ok ? succeed(undefined) : opened
}

/** What lets messages go at the end, or by time, under `@shared`: they would be the outcome of no request. */
const unsharedIn = (bound: Bound, { nodes }: Graph): string | undefined => {
  for (const node of nodes) {
    const { work, name } = node
    const within = work.kind === 'plumb' ? unsharedIn(work.bound, planOf(work.bound)) : undefined
    if (within !== undefined) return within
    const why = isSharedNode(node, bound) ? whyUnshared(work) : undefined
    if (why !== undefined) return `'${name}' ${why}`
  }
  return undefined
}

const whyUnshared = (work: GraphNode['work']): string | undefined => {
  if (work.kind === 'barrier') return 'joins what stems from one input'
  if (work.kind === 'fold') return work.atEnd ? AT_END : undefined
  if (work.kind === 'batch' && work.size === undefined) return AT_END
  return (work.kind === 'batch' || work.kind === 'join') && work.withinMs !== undefined ? 'lets go by time' : undefined
}

const AT_END = 'sends at the end'

/** With the graphs of the plumbs in it. */
const wholeOf = (graph: Graph): Graph => ({
  nodes: graph.nodes.flatMap((node) => (node.work.kind === 'plumb' ? [node, ...wholeOf(planOf(node.work.bound)).nodes] : [node])),
  edges: graph.edges,
})
