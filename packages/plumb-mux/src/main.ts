// argv in, exit status out.

import { endWith, runProgram, writeStdout } from '@plumb/wire'
import { parsePlainArguments } from './options.js'
import { run } from './run.js'

const PROGRAM = 'plumb-mux'

const main = async (argv: readonly string[]): Promise<number> => {
  const plain = parsePlainArguments(argv)
  if (plain) return run(plain, PROGRAM)
  const { readArguments } = await import('./main-flags.js')
  const read = readArguments(PROGRAM, argv)
  if (!read.ok) return endWith(PROGRAM, read.error)
  return typeof read.value === 'string' ? endWith(PROGRAM, await writeStdout(read.value)) : run(read.value, PROGRAM)
}

runProgram(PROGRAM, () => main(process.argv.slice(2)))
