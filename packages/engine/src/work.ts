// plumb work: its options, and its end.

import { dirname, relative } from 'node:path'
import { BatchSpanExporter, RunDisplay, readOtlpSettings } from '@plumb/runtime/display'
import { secretsOf } from '@plumb/runtime/event'
import type { RunOptions } from '@plumb/runtime/options'
import { beginOf } from '@plumb/runtime/run'
import type { LoadedSpec } from '@plumb/runtime/spec'
import { fault, Reporter, type Result, succeed } from '@plumb/wire'
import { type LoadedRun, loadRun, startPartsOf } from './loaded-run.js'
import { MergedEvents } from './merged-events.js'
import { placesOfAnswers } from './places-of-answers.js'
import { partsText } from './run-plan.js'
import { serve, type WorkerOptions } from './worker.js'
import { WorkerWatch } from './worker-watch.js'

export type WorkFlags = Omit<WorkerOptions, 'plan' | 'start' | 'places' | 'nameOfAgent' | 'reporter' | 'watch'>

/** Resolves to the exit status: a worker that was asked to end has done its job. */
export const work = async (path: string | undefined, options: RunOptions, flags: WorkFlags): Promise<number> => {
  const reporter = new Reporter('plumb')
  const run = await loadRun(path, options, reporter)
  const start = run && (await startPartsOf(run, options))
  if (start?.ok === false) reporter.report(start.error)
  const unknown = flags.parts.find((part) => run?.plan.parts.every(({ id, name }) => part !== name && part !== String(id)))
  if (run && unknown !== undefined) {
    reporter.report(fault('usage', `--part ${unknown} is not a part: ${partsText(run.plan)}`))
  } else if (run && start?.ok) {
    const watch = await openWatch(run, path ?? '', options, reporter)
    if (watch.ok)
      await serve({
        ...flags,
        plan: run.plan,
        start: start.value,
        places: placesOf(run, options),
        nameOfAgent: nameIn(run.loaded),
        reporter,
        watch: watch.value,
      })
    else reporter.report(watch.error)
    if (watch.ok) await watch.value.end(reporter.status)
  }
  await reporter.end()
  return reporter.status
}

const openWatch = async ({ graph }: LoadedRun, spec: string, options: RunOptions, reporter: Reporter): Promise<Result<WorkerWatch>> => {
  const settings = readOtlpSettings(process.env)
  if (settings?.ok === false) return settings
  const warn = (text: string) => reporter.warn(fault('connection_failed', text))
  const { url, parent } = settings?.value ?? {}
  const spans =
    settings && url && parent?.isSampled !== false ? { exporter: new BatchSpanExporter(settings.value, url, warn), parent } : undefined
  if (options.display.trace === undefined) return succeed(new WorkerWatch({ trace: undefined, spans }))
  const display = new RunDisplay({ ...options.display, progress: false, summary: undefined }, { isChild: true })
  const opened = await display.openListeners(reporter, undefined, (error) => reporter.report(error))
  if (!opened.ok) return opened
  const [listener] = opened.value
  listener?.on({ ms: 0, ...beginOf(graph, spec, options) })
  return succeed(new WorkerWatch({ trace: listener && { listener, merged: new MergedEvents(graph) }, spans }))
}

const placesOf = ({ loaded, bound, graph }: LoadedRun, { programs }: RunOptions) =>
  placesOfAnswers(graph, programs.agent, secretsOf(loaded.compiled.program, bound, graph)?.places ?? [])

/** Another machine has the spec in another directory. */
const nameIn = ({ compiled }: LoadedSpec) => {
  const directory = dirname(compiled.program.entry.module.path)
  return (name: string): string => relative(directory, name)
}
