// argv in, exit status out.

import { endWith, Reporter, runProgram, writeStdout } from '@plumb/wire'
import { version } from '../package.json'
import { read } from './cli/arguments.js'
import { readToolArguments } from './cli/flags.js'
import { runVerb } from './cli/run.js'

const PROGRAM = 'plumb-tool'

const main = async (argv: readonly string[]): Promise<number> => {
  const asked = await readToolArguments(argv)
  if (!asked.ok) return endWith(PROGRAM, asked.error)
  if (typeof asked.value === 'string') return endWith(PROGRAM, await writeStdout(asked.value))
  const todo = read(asked.value)
  return todo.ok ? runVerb(todo.value, new Reporter(PROGRAM)) : endWith(PROGRAM, todo.error)
}

runProgram(PROGRAM, version, main)
