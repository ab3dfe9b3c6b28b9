// The commands that inspect other servers: tools, call, prompts, resources.

import { endWith, examples } from '@plumb/wire'
import { type Command, InvalidArgumentError } from 'commander'
import { INSPECT_VERBS, readAsked } from './inspect/arguments.js'
import type { InspectFlags } from './inspect/inspection.js'

/**
 * Adds them to the program, whose own options then are before the name of a command. `argv` is what will be parsed; `run` gets the work
 * of the chosen command, which resolves to the exit status.
 */
export const addInspect = (program: Command, argv: readonly string[], run: (work: () => Promise<number>) => void): void => {
  program.enablePositionalOptions()
  for (const verb of INSPECT_VERBS) {
    program
      .command(verb.name)
      .usage(`[options] ${verb.words === '' ? '' : `${verb.words} `}URL | -- command...`)
      .description(verb.says)
      .addHelpText('after', examples(`plumb-mcp ${verb.example} -- ./server.sh`, `plumb-mcp ${verb.example} https://host/mcp`))
      .argument('[words...]')
      .option('-e, --env <name=value>', 'a variable for a server that is started', pair)
      .option('--token-env <name>', 'the variable that holds the bearer token')
      .option('--client-id-env <name>', 'the variable that holds the id of an OAuth client')
      .option('--client-secret-env <name>', 'the variable that holds its secret')
      .option('--auth <how>', "'query': id and secret go into the URL")
      .option('--transport <name>', "'sse' or 'ws', for older servers")
      .option('--revision <name>', 'of the protocol, such as 2025-11-25 (the newest that the server knows)')
      .option('--handshake-timeout <seconds>', 'for the server to start and say who it is (30)', seconds)
      .option('--timeout <seconds>', 'for each answer (60)', seconds)
      .option('--cache-ttl <seconds>', 'how old a list of its tools may be that was kept; without it the server is asked', secondsOrNone)
      .option('-v, --verbose', 'all that a server which is started writes to stderr')
      .action((words: readonly string[], flags: InspectFlags) =>
        run(async () => {
          const asked = readAsked(verb, words, behindDashes(argv), flags)
          if (!asked.ok) return endWith(program.name(), asked.error)
          const { inspect } = await import('./inspect/inspect.js')
          return inspect(asked.value, program.name())
        }),
      )
  }
}

/** commander drops the two dashes, which separate the command of a server from the words before it. */
const behindDashes = (argv: readonly string[]): readonly string[] | undefined => {
  const at = argv.indexOf('--')
  return at < 0 ? undefined : argv.slice(at + 1)
}

const pair = (text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('write NAME=VALUE.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}

const number = (text: string, least: (n: number) => boolean, what: string): number => {
  const n = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (!least(n)) throw new InvalidArgumentError(`write a number of seconds${what}.`)
  return n
}

const seconds = (text: string): number => number(text, (n) => n > 0, ' over 0')
const secondsOrNone = (text: string): number => number(text, (n) => n >= 0, '')
