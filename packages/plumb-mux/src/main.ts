// argv in, exit status out.

import { endWith, fail, type Result, readCommandLine, runProgram, succeed, writeStdout } from '@plumb/wire'
import { version } from '../package.json'
import { MUX_FORM, type MuxArguments } from './options.js'
import { runMux } from './run.js'

const PROGRAM = 'plumb-mux'

const main = async (argv: readonly string[]): Promise<number> => {
  const read = await readCommandLine(MUX_FORM, argv, async () => (await import('commander')).Command)
  if (!read.ok) return endWith(PROGRAM, read.error)
  if (typeof read.value === 'string') return endWith(PROGRAM, await writeStdout(read.value))
  const checked = check({ ...read.value.values.mux, command: read.value.operands })
  return checked.ok ? runMux(checked.value, PROGRAM) : endWith(PROGRAM, checked.error)
}

const check = (given: MuxArguments): Result<MuxArguments> => {
  const { tee, replay, command } = given
  if (command.length === 0 && replay === undefined)
    return fail('usage', "no command is given: write it after '--', as in 'plumb-mux -- ./agent.sh'")
  if (command.length === 0 && tee !== undefined) return fail('usage', '--tee records a command, and none is given')
  if (tee !== undefined && tee === replay) return fail('usage', `--tee would write over '${tee}' while --replay reads it`)
  return succeed(given)
}

runProgram(PROGRAM, version, main)
