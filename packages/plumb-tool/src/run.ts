// One command from start to end: the spec loaded, its tools opened, and everything that is wrong told before anything is done.

import { dieOf, type Reporter } from '@plumb/wire'
import type { Command } from './command.js'
import { load } from './load.js'
import { call } from './main-call.js'
import { serve } from './main-serve.js'
import type { VerbName } from './main-verbs.js'
import type { Todo } from './main-words.js'
import { openTools } from './tools.js'

const COMMANDS: Readonly<Record<VerbName, () => Promise<Command>>> = {
  call: async () => call,
  serve: async () => serve,
  list: async () => (await import('./main-list.js')).list,
  schema: async () => (await import('./main-schema.js')).schema,
  find: async () => (await import('./main-find.js')).find,
  test: async () => (await import('./main-test.js')).test,
  sandbox: async () => (await import('./main-sandbox.js')).sandbox,
}

/** Resolves to the exit status when everything has been written. Dies of the signal that stopped it. */
export const run = async ({ verb, words, options }: Todo, reporter: Reporter): Promise<number> => {
  const loaded = await load(options, reporter)
  const tools = loaded && (await openTools(loaded, options, reporter))
  const command = await COMMANDS[verb]()
  const signal = tools && (await command(tools, { words, options, reporter }))
  await tools?.session.servers.close()
  await reporter.end()
  if (signal) dieOf(signal)
  return reporter.status
}
