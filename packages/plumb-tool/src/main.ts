// argv in, exit status out.

import { endWith, obey, quietly, Reporter, runProgram } from '@plumb/wire'
import { Command } from 'commander'
import { describe, type Flags } from './main-flags.js'
import { read } from './main-words.js'
import { run } from './run.js'

const PROGRAM = 'plumb-tool'

const main = (argv: readonly string[]): Promise<number> => {
  const command = new Command(PROGRAM)
  const readFlags = quietly(command)
  describe(command)
  return obey(PROGRAM, readFlags(argv), () => {
    const todo = read(command.args, command.opts<Flags>())
    return todo.ok ? run(todo.value, new Reporter(PROGRAM)) : endWith(PROGRAM, todo.error)
  })
}

runProgram(PROGRAM, () => main(process.argv.slice(2)))
