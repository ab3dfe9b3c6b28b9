// argv and stdio in, exit status out.

import { runProgram, versionAndPrices } from '@plumb/wire'
import { version } from '../package.json'
import { COMMANDS } from './commands.js'
import { checkOptionsOf, readPlainCheck } from './main-check.js'
import { readPlainRun, runBinding } from './main-run.js'

// Most starts are runs and checks, and do not load the descriptions of commands.
const main = async (argv: readonly string[]): Promise<number> => {
  const plain = readPlainRun(argv)
  if (plain) return runBinding(plain.spec, plain.flags)
  const checked = readPlainCheck(argv)
  if (checked) return (await COMMANDS.check())(checked.specs, checkOptionsOf(checked.flags))
  const { command } = await import('./main-commands.js')
  return command(argv, COMMANDS)
}

runProgram('plumb', versionAndPrices(version), main)
