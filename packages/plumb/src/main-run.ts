// run and stage, from the command line to their work, and how a run or a check that is spelt plainly is read without commander: an editor or
// a build asks for many.

import { type RunOptions, rowsFor, runOptions } from '@plumb/runtime/options'
import { run } from '@plumb/runtime/run'
import {
  attributeOf,
  endWith,
  type Fault,
  fault,
  flag,
  givenBudget,
  isGiven,
  leastOf,
  longName,
  misusedOption,
  type ParsedLine,
  type ParsedOptions,
  parsePlainly,
  preview,
  type Result,
  requireSandbox,
  succeed,
  value,
} from '@plumb/wire'

export const CHECK_ROWS = {
  json: flag('--json', 'one object a line, on standard output'),
  flows: flag('--flows', 'where data may go, and each way across'),
  eval: value('-e, --eval <text>', 'take the spec from the command line'),
}

interface PlainLine extends ParsedLine {
  readonly command: 'run' | 'check'
}

/** What commander would parse. Undefined: not a plainly spelt run or check, and possibly anything. */
export const readPlainly = (argv: readonly string[]): PlainLine | undefined => {
  // Options of plumb itself, wherever they stand, and one that may have a form after it.
  if (argv.some((word) => /^(-V|--version|-h|--help|--summary)/.test(word))) return undefined
  const [first = '', ...others] = argv
  if (first === 'check') {
    const form = { rows: Object.values(CHECK_ROWS), maxOperands: Number.POSITIVE_INFINITY }
    const plain = others.includes('--') ? undefined : parsePlainly(form, others)
    return plain && { ...plain, command: 'check' }
  }
  // The name of a command, or of a program of others, stands before all options.
  if (argv.length === 0 || /^[a-z][a-z\d-]*$|^--$/.test(first) || argv.some((word, i) => argv[i - 1] === '--' && word.startsWith('-')))
    return undefined
  const plain = parsePlainly({ rows: rowsFor('run'), maxOperands: 1 }, argv)
  return plain && { ...plain, command: 'run' }
}

/** `binding`: of a stage. Resolves to the exit status. */
export const runBinding = async (
  command: 'run' | 'stage',
  parsed: ParsedOptions,
  spec: string | undefined,
  binding?: string,
): Promise<number> => {
  const misused = misusedOption(rowsFor(command), parsed) ?? (binding !== undefined && !spec ? misplacedSpec(binding) : undefined)
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

const misplacedSpec = (binding: string): Fault | undefined =>
  binding.endsWith('.plumb')
    ? fault('usage', `'stage' runs one process of a spec, which has to be named: plumb stage NAME ${preview(binding)}`)
    : undefined

/** What a caller has left for us limits it too; refuses a budget that cannot be read. */
export const withBudgetLeft = (options: RunOptions): Result<RunOptions> => {
  if (options.parent.budgetFd !== undefined) return succeed({ ...options, limits: { ...options.limits, maxCost: undefined } })
  const left = givenBudget(process.env)
  if (!left.ok) return left
  return succeed({ ...options, limits: { ...options.limits, maxCost: leastOf(options.limits.maxCost, left.value) ?? undefined } })
}

const refusalWithWorkers = (parsed: ParsedOptions): Fault | undefined => {
  const given = rowsFor('run').filter((row) => isGiven(row, parsed))
  const refused = given.find(({ notByWorkers }) => notByWorkers !== undefined)
  if (refused) return fault('usage', `${longName(refused.flags)} has no effect on a run by workers (--on): ${refused.notByWorkers}`)
  const early = parsed[attributeOf('--detach')] === true ? given.find(({ isForWhole }) => isForWhole) : undefined
  return early && fault('usage', `${longName(early.flags)} is not for --detach: give it to the command that fetches the outputs`)
}
