// Loads the spec of the command line for workers; reports its errors.

import { type Bound, type Graph, serverVariables } from '@plumb/lang'
import { loadPrices, readPrices } from '@plumb/ledger'
import { findDocroot, loadingOptions, RUN_GROUPS, type RunOptions, wordsOfAgents } from '@plumb/runtime/options'
import { chooseGraph } from '@plumb/runtime/run'
import { type LoadedSpec, loadSpec, refuseErrors } from '@plumb/runtime/spec'
import { mapsTools, openAuthoritySource, servesTools } from '@plumb/runtime/tools'
import { optionWords, type Reporter, type Result, succeed } from '@plumb/wire'
import { PartProcess } from './part-process.js'
import type { PartRunnerOptions } from './part-runner.js'
import { planRun, type RunPlan } from './run-plan.js'
import type { PartSpan } from './worker-watch.js'

export interface LoadedRun {
  readonly loaded: LoadedSpec
  readonly bound: Bound
  readonly graph: Graph
  readonly plan: RunPlan
}

/** Undefined: it cannot be run, which was reported. */
export const loadRun = async (path: string | undefined, options: RunOptions, reporter: Reporter): Promise<LoadedRun | undefined> => {
  const loaded = await loadSpec(path, loadingOptions(options))
  if (!loaded.ok) return reportFailure(loaded, reporter)
  if (refuseErrors(loaded.value, reporter)) return undefined
  // The needs of a part are checked where it runs.
  const chosen = await chooseGraph(loaded.value.compiled.program, { ...options, run: { ...options.run, isDry: true } })
  if (!chosen.ok) return reportFailure(chosen, reporter)
  const { bound, graph } = chosen.value
  const plan = await planRun(loaded.value, bound, graph, options)
  return plan.ok ? { loaded: loaded.value, bound, graph, plan: plan.value } : reportFailure(plan, reporter)
}

const reportFailure = (failed: Extract<Result<unknown>, { ok: false }>, reporter: Reporter): undefined => {
  reporter.report(failed.error)
  return undefined
}

/** How the process of a part is started. `span`: its own, which it ends. */
export type StartPart = (...start: [...Parameters<PartRunnerOptions['start']>, span?: PartSpan | undefined]) => Result<PartProcess>

/** How the processes of parts are started. */
export const startPartsOf = async ({ loaded, bound, graph }: LoadedRun, options: RunOptions): Promise<Result<StartPart>> => {
  const { permissions, lines, run, programs, agents } = options
  const { docroot } = permissions
  const found = docroot === undefined ? succeed(undefined) : findDocroot(docroot)
  if (!found.ok) return found
  const source = await openAuthoritySource(permissions, undefined, servesTools(graph) || mapsTools(graph))
  if (!source.ok) return source
  const given = options.display.prices === undefined ? succeed(undefined) : readPrices(options.display.prices)
  if (!given.ok) return given
  const args = [
    ...['--max-in-flight', String(run.maxInFlight)],
    ...(docroot === undefined ? [] : ['--docroot', docroot]),
    ...optionWords(RUN_GROUPS.programs, programs),
    ...wordsOfAgents(agents),
  ]
  const prices = await loadPrices(given.value)
  const entry = loaded.compiled.program.entry.module.path
  const variables = serverVariables(bound)
  return succeed((part, memory, events, span) =>
    PartProcess.start({
      part,
      binding: run.binding,
      entry,
      files: loaded.files,
      args,
      variables,
      authority: source.value.authority,
      memory,
      maxLine: lines.maxLine,
      prices,
      span,
      ...events,
    }),
  )
}
