// argv in, exit status out.

import { endWith, openOutput, Reporter, runProgram, usageFault, writeStdout } from '@plumb/wire'
import { CommanderError } from 'commander'
import { describe, type Flags } from './main-flags.js'
import { read } from './main-words.js'
import { run } from './run.js'

const PROGRAM = 'plumb-tool'

const main = async (argv: readonly string[]): Promise<number> => {
  let asked = ''
  const command = describe(PROGRAM, (text) => {
    asked += text
  })
  try {
    command.parse(argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return endWith(PROGRAM, error.exitCode === 0 ? await writeStdout(asked) : usageFault(error, command.options))
  }
  const todo = read(command.args, command.opts<Flags>())
  return todo.ok ? run(todo.value, new Reporter(PROGRAM, openOutput(2))) : endWith(PROGRAM, todo.error)
}

runProgram(PROGRAM, () => main(process.argv.slice(2)))
