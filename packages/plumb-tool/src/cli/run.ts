// Runs one command: loads the spec, opens its tools, and reports all errors before it does anything.

import { dieOf, type Reporter } from '@plumb/wire'
import type { Todo } from './arguments.js'
import { call } from './call.js'
import type { RunCommand } from './command.js'
import { loadProgram } from './load.js'
import { openToolSet } from './open-tools.js'
import { serve } from './serve.js'
import type { VerbName } from './verbs.js'

const COMMANDS: Readonly<Record<VerbName, () => Promise<RunCommand>>> = {
  call: async () => call,
  serve: async () => serve,
  list: async () => (await import('./list.js')).list,
  schema: async () => (await import('./schema.js')).schema,
  find: async () => (await import('./find.js')).find,
  skill: async () => (await import('./skill.js')).skill,
  test: async () => (await import('./test.js')).test,
  sandbox: async () => (await import('./sandbox.js')).sandbox,
}

/** Resolves to the exit status when everything has been written. Dies of the signal that stopped it. */
export const runVerb = async ({ verb, words, options }: Todo, reporter: Reporter): Promise<number> => {
  const loaded = await loadProgram(options, reporter)
  const tools = loaded && (await openToolSet(loaded, { verb, words, options }, reporter))
  const command = await COMMANDS[verb]()
  const signal = tools && (await command(tools, { words, options, reporter }))
  await tools?.session.servers.close()
  await reporter.end()
  if (signal) dieOf(signal)
  return reporter.status
}
