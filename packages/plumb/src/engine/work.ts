// plumb work: what the command line says of it, and its end.

import { dirname, relative } from 'node:path'
import { fault, Reporter } from '@plumb/wire'
import type { LoadedSpec } from '../command/load.js'
import type { RunOptions } from '../run/run-options.js'
import { loadRun, startPartsOf } from './loaded-run.js'
import { serve, type WorkerOptions } from './worker.js'

export type WorkFlags = Omit<WorkerOptions, 'plan' | 'start' | 'nameOfAgent' | 'reporter'>

/** Resolves to the exit status: a worker that was asked to end has done what it should. */
export const work = async (path: string | undefined, options: RunOptions, flags: WorkFlags): Promise<number> => {
  const reporter = new Reporter('plumb')
  const run = await loadRun(path, options, reporter)
  const start = run && (await startPartsOf(run, options))
  if (start?.ok === false) reporter.report(start.error)
  const unknown = flags.parts.find((part) => run?.plan.parts.every(({ id, name }) => part !== name && part !== String(id)))
  if (run && unknown !== undefined) {
    const known = run.plan.parts.map(({ id, name }) => `${id} (${name})`).join(', ')
    reporter.report(fault('usage', `--part ${unknown} is no part of this spec, which has ${known}`))
  } else if (run && start?.ok) await serve({ ...flags, plan: run.plan, start: start.value, nameOfAgent: nameIn(run.loaded), reporter })
  await reporter.end()
  return reporter.status
}

/** Another machine has the spec in another folder. */
const nameIn = ({ compiled }: LoadedSpec) => {
  const folder = dirname(compiled.program.entry.module.path)
  return (name: string): string => relative(folder, name)
}
