// The options of every command that runs something: run and stage.

import { MAX_LINE } from '@plumb/wire'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { RunOptions } from './run.js'

const MAX_IN_FLIGHT = 10_000

interface RunFlags {
  eval?: string
  sourcesFd?: number
  binding?: string
  rawInput?: boolean
  rawOutput?: boolean
  provider?: string
  model?: string
  docroot?: string
  grant: string[]
  policy?: string
  context: string[]
  allowHost: string[]
  agentCommand?: string
  toolCommand?: string
  maxInFlight: number
  maxLine: number
  mux?: boolean
  envelopes: boolean
  telemetry?: boolean
  seq?: boolean
}

/** The arguments come after those of the command itself; `act` resolves to the exit status. */
export const withRunOptions = (
  command: Command,
  act: (args: readonly (string | undefined)[], flags: RunFlags, options: Omit<RunOptions, 'binding'>) => Promise<number>,
): Command =>
  command
    .option('-e, --eval <text>', 'take the spec from the command line')
    .option('-R, --raw-input', 'each line of input is a string')
    .option('-r, --raw-output', 'write strings unquoted')
    .option('--provider <name>', 'provider of agents, before what the spec says')
    .option('--model <name>', 'model of agents, before what the spec says')
    .option('--docroot <dir>', 'folder below which tools may use files (default: the working directory)')
    .addOption(list('--grant <list>', 'effects that tools may have, such as fs.read,net'))
    .option('--policy <file>', 'rules on what tools may do, are asked for or denied')
    .addOption(list('--context <key=value>', 'what rules of a policy may ask for'))
    .addOption(list('--allow-host <host>', "a host besides the provider's own that gets its key"))
    .option('--agent-command <program>', 'run this program in place of plumb-agent')
    .option('--tool-command <program>', 'let this program answer tool calls')
    .option('--max-in-flight <n>', 'messages that may wait in a cycle or a barrier', wholeNumber, MAX_IN_FLIGHT)
    .option('--max-line <bytes>', 'the longest line of input', wholeNumber, MAX_LINE)
    .addOption(new Option('--mux', 'read and write envelopes only').conflicts(['rawInput', 'rawOutput', 'envelopes']))
    .option('--no-envelopes', 'take every line as data')
    .option('--seq', 'write {"seq","value"}: each output with the number of its input')
    .option('--telemetry', 'tell on descriptor 3 what has settled')
    .addOption(new Option('--sources-fd <n>').argParser(wholeNumber).hideHelp())
    .action(async (...args: unknown[]) => {
      const flags = args.at(-2) as RunFlags
      process.exitCode = await act(args.slice(0, -2) as (string | undefined)[], flags, optionsOf(flags))
    })

// Given once or again; those that take lists split them themselves.
const list = (flags: string, description: string): Option =>
  new Option(flags, description).default([], 'none').argParser((text: string, before: string[]) => [...before, text])

const wholeNumber = (text: string): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('it takes a whole number from 1')
  return value
}

const optionsOf = (flags: RunFlags): Omit<RunOptions, 'binding'> => ({
  ...(flags.eval === undefined ? {} : { eval: flags.eval }),
  ...(flags.sourcesFd === undefined ? {} : { sourcesFd: flags.sourcesFd }),
  rawInput: flags.rawInput === true,
  rawOutput: flags.rawOutput === true,
  envelopes: flags.mux ? 'all' : flags.envelopes ? 'some' : 'none',
  isNumbered: flags.seq === true,
  maxLine: flags.maxLine,
  maxInFlight: flags.maxInFlight,
  handedOn: [
    ...(flags.provider ? ['--provider', flags.provider] : []),
    ...(flags.model ? ['--model', flags.model] : []),
    ...flags.allowHost.flatMap((host) => ['--allow-host', host]),
  ],
  docroot: flags.docroot,
  permissions: { grant: flags.grant, policy: flags.policy, context: flags.context },
  provider: flags.provider,
  model: flags.model,
  agentProgram: flags.agentCommand ?? nonEmpty(process.env.PLUMB_AGENT),
  toolProgram: flags.toolCommand ?? nonEmpty(process.env.PLUMB_TOOL),
  telemetry: flags.telemetry === true,
})

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text)
