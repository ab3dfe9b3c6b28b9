// What is asked of plumb: how a run or a check that is spelt plainly is read, without commander, since an editor or a build asks for many; and
// what the caller allows.

import { type RunOptions, rowsFor } from '@plumb/runtime/options'
import { flag, givenBudget, leastOf, type ParsedLine, parsePlainly, type Result, succeed, value } from '@plumb/wire'

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

/** What a caller has left for us limits it too; refuses a budget that cannot be read. */
export const withBudgetLeft = (options: RunOptions): Result<RunOptions> => {
  if (options.parent.budgetFd !== undefined) return succeed({ ...options, limits: { ...options.limits, maxCost: undefined } })
  const left = givenBudget(process.env)
  if (!left.ok) return left
  return succeed({ ...options, limits: { ...options.limits, maxCost: leastOf(options.limits.maxCost, left.value) ?? undefined } })
}
