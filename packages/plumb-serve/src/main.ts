// argv in, exit status out.

import { endWith, type ProgramForm, readCommandLine, requireSandbox, runProgram, writeStdout } from '@plumb/wire'
import { version } from '../package.json'
import { SERVE_GROUPS } from './options.js'

const PROGRAM = 'plumb-serve'

const FORM: ProgramForm<typeof SERVE_GROUPS> = {
  name: PROGRAM,
  version,
  description: 'Serves the bindings of specs over HTTP.',
  operands: { '<spec.plumb...>': 'specs, of which each binding under @serve is served, or main' },
  maxOperands: Number.POSITIVE_INFINITY,
  groups: SERVE_GROUPS,
  examples: ['plumb-serve desk.plumb', `curl -d '"hi"' localhost:8080/main`, 'plumb-serve --listen 0.0.0.0:80 --token-env TOKEN a.plumb'],
}

const main = async (argv: readonly string[]): Promise<number> => {
  const read = await readCommandLine(FORM, argv, async () => (await import('commander')).Command)
  if (!read.ok) return endWith(PROGRAM, read.error)
  if (typeof read.value === 'string') return endWith(PROGRAM, await writeStdout(read.value))
  const { values, operands } = read.value
  const sandbox = requireSandbox(values.permissions.requireSandbox)
  if (!sandbox.ok) return endWith(PROGRAM, sandbox.error)
  const { runServer } = await import('./main-serve.js')
  return runServer(PROGRAM, values, operands)
}

runProgram(PROGRAM, version, main)
