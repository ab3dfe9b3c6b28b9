// argv and stdio in, exit status out.

import { versionAndPrices } from '@plumb/ledger'
import { runProgram, valuesOf } from '@plumb/wire'
import { version } from '../package.json'
import { COMMANDS } from './commands.js'
import { CHECK_ROWS, readPlainly, runBinding } from './main-run.js'

// Most starts are runs and checks, and do not load the descriptions of commands.
const main = async (argv: readonly string[]): Promise<number> => {
  const plain = readPlainly(argv)
  if (plain?.command === 'run') return runBinding('run', plain.parsed, plain.operands[0])
  if (plain) return (await COMMANDS.check())(plain.operands, valuesOf(CHECK_ROWS, plain.parsed))
  const { command } = await import('./main-commands.js')
  return command(argv, COMMANDS)
}

runProgram('plumb', versionAndPrices(version), main)
