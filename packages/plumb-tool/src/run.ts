// One command from start to end: the spec loaded, its tools opened, and everything that is wrong told before anything is done.

import { dieOf, type Reporter } from '@plumb/wire'
import type { Command } from './command.js'
import { load } from './load.js'
import { call } from './main-call.js'
import { find } from './main-find.js'
import { list } from './main-list.js'
import { schema } from './main-schema.js'
import { serve } from './main-serve.js'
import { test } from './main-test.js'
import type { VerbName } from './main-verbs.js'
import type { Todo } from './main-words.js'
import { openTools } from './tools.js'

const COMMANDS: Readonly<Record<VerbName, Command>> = { list, schema, call, serve, find, test }

/** Resolves to the exit status when everything has been written. Dies of the signal that stopped it. */
export const run = async ({ verb, words, options }: Todo, reporter: Reporter): Promise<number> => {
  const loaded = load(options, reporter)
  const tools = loaded && (await openTools(loaded, options, reporter))
  const signal = tools && (await COMMANDS[verb](tools, { words, options, reporter }))
  await tools?.session.servers.close()
  await reporter.end()
  if (signal) dieOf(signal)
  return reporter.status
}
