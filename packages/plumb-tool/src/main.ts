// argv in, exit status out.

import { type Fault, fault, openOutput, Reporter, writeStdout } from '@plumb/wire'
import { CommanderError } from 'commander'
import { describe, type Flags, usageFault } from './main-flags.js'
import { read } from './main-words.js'
import { run } from './run.js'

const PROGRAM = 'plumb-tool'

const main = async (argv: readonly string[]): Promise<number> => {
  let asked = ''
  const command = describe(PROGRAM, (text) => {
    asked += text
  })
  const reporter = new Reporter(PROGRAM, openOutput(2))
  try {
    command.parse(argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const failure = error.exitCode === 0 ? await writeStdout(asked) : usageFault(error, command)
    return end(reporter, failure)
  }
  const todo = read(command.args, command.opts<Flags>())
  return todo.ok ? run(todo.value, reporter) : end(reporter, todo.error)
}

const end = async (reporter: Reporter, failure: Fault | undefined): Promise<number> => {
  if (failure) reporter.report(failure)
  await reporter.end()
  return reporter.status
}

const crash = (error: unknown): Promise<number> =>
  end(new Reporter(PROGRAM, openOutput(2)), fault('internal', error instanceof Error ? (error.stack ?? error.message) : String(error)))

main(process.argv.slice(2))
  .catch(crash)
  .then((status) => {
    process.exitCode = status
  })
