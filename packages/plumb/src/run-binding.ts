// run and stage, from the options to their work.

import { rowsFor, runOptions } from '@plumb/runtime/options'
import { run } from '@plumb/runtime/run'
import { attributeOf, endWith, type Fault, fault, isGiven, longName, misusedOption, type ParsedOptions, requireSandbox } from '@plumb/wire'
import { withBudgetLeft } from './main-line.js'

/** `binding`: of a stage. Resolves to the exit status. */
export const runBinding = async (
  command: 'run' | 'stage',
  parsed: ParsedOptions,
  spec: string | undefined,
  binding?: string,
): Promise<number> => {
  const misused = misusedOption(rowsFor(command), parsed)
  if (misused) return endWith('plumb', misused)
  const given = runOptions(command, parsed)
  const options = withBudgetLeft(binding === undefined ? given : { ...given, run: { ...given.run, binding } })
  if (!options.ok) return endWith('plumb', options.error)
  const sandbox = requireSandbox(given.permissions.requireSandbox)
  if (!sandbox.ok) return endWith('plumb', sandbox.error)
  if (given.workers.url === undefined) return run(spec, options.value)
  const refused = refusalWithWorkers(parsed)
  if (refused) return endWith('plumb', refused)
  const { submit } = await import('@plumb/engine')
  return submit(spec, options.value, given.workers.url)
}

const refusalWithWorkers = (parsed: ParsedOptions): Fault | undefined => {
  const given = rowsFor('run').filter((row) => isGiven(row, parsed))
  const refused = given.find(({ notByWorkers }) => notByWorkers !== undefined)
  if (refused) return fault('usage', `${longName(refused.flags)} has no effect on a run by workers (--on): ${refused.notByWorkers}`)
  const early = parsed[attributeOf('--detach')] === true ? given.find(({ isForWhole }) => isForWhole) : undefined
  return early && fault('usage', `${longName(early.flags)} is not for --detach: give it to the command that fetches the outputs`)
}
