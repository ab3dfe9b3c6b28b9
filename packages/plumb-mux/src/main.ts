// argv in, exit status out.

import { endWith, runProgram, writeStdout } from '@plumb/wire'
import { version } from '../package.json'
import { parseMuxArguments } from './options.js'
import { runMux } from './run.js'

const PROGRAM = 'plumb-mux'

const main = async (argv: readonly string[]): Promise<number> => {
  const plain = parseMuxArguments(argv)
  if (plain) return runMux(plain, PROGRAM)
  const { readMuxArguments } = await import('./main-flags.js')
  const read = readMuxArguments(PROGRAM, argv)
  if (!read.ok) return endWith(PROGRAM, read.error)
  return typeof read.value === 'string' ? endWith(PROGRAM, await writeStdout(read.value)) : runMux(read.value, PROGRAM)
}

runProgram(PROGRAM, version, main)
