// The options of every command that runs something: run and stage.

import { MAX_LINE, optionReaders } from '@plumb/wire'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { sightOf, type WatchFlags, withWatchOptions } from './main-watch.js'
import type { RunOptions } from './run-options.js'

const MAX_IN_FLIGHT = 10_000

interface RunFlags extends WatchFlags {
  eval?: string
  sourcesFd?: number
  binding?: string
  rawInput?: boolean
  rawOutput?: boolean
  provider?: string
  model?: string
  docroot?: string
  grant?: string[]
  policy?: string
  context?: string[]
  allowHost?: string[]
  agentCommand?: string
  toolCommand?: string
  parallelToolCalls: boolean
  maxInFlight?: number
  maxLine?: number
  mux?: boolean
  envelopes: boolean
  telemetry?: boolean
  seq?: boolean
  dryRun?: boolean
  failFast?: boolean
  record?: string
  resume?: string
  rejects?: string
  maxCalls?: number
  maxTotalTokens?: number
  deadline?: number
  budgetFd?: number
}

const { again, seconds, whole } = optionReaders(InvalidArgumentError)

/** The arguments come after those of the command itself. */
export const withRunOptions = (
  command: Command,
  act: (args: readonly (string | undefined)[], flags: RunFlags, options: Omit<RunOptions, 'binding'>) => void,
): Command =>
  withWatchOptions(command)
    .option('-e, --eval <text>', 'take the spec from the command line')
    .option('-R, --raw-input', 'each line of input is a string')
    .option('-r, --raw-output', 'write strings unquoted')
    .option('--provider <provider>', 'provider of agents, before what the spec says')
    .option('--model <model>', 'model of agents, before what the spec says')
    .option('--docroot <dir>', 'folder below which tools may use files')
    .option('--grant <list>', 'effects that tools may have, such as fs.read,net', again)
    .option('--policy <file>', 'rules on what tools may do, are asked for or denied')
    .option('--context <key=value>', 'what rules of a policy may ask for', again)
    .option('--allow-host <host>', "a host besides the provider's own that gets its key", again)
    .option('--agent-command <program>', 'run this program in place of plumb-agent')
    .option('--tool-command <program>', 'let this program answer tool calls')
    .option('--no-parallel-tool-calls', 'one tool call of an agent after the other')
    .option('--max-in-flight <n>', 'messages that may wait in a loop or barrier (10000)', whole(1))
    .option('--max-line <bytes>', 'longest line taken (16777216)', whole(1))
    .addOption(new Option('--mux', 'read and write envelopes only').conflicts(['rawInput', 'rawOutput', 'envelopes']))
    .option('--no-envelopes', 'take every line as data')
    .option('--seq', 'write {"seq","value"}, with the number of the input')
    .option('--record <dir>', 'write what goes over each wire to this folder')
    .addOption(new Option('--resume <dir>', 'go on with a recorded run that stopped').conflicts('record'))
    .option('--rejects <file>', 'write the inputs that failed to this file')
    .option('--max-calls <n>', 'end the run after so many calls of models', whole(1))
    .option('--max-total-tokens <n>', 'end the run after so many tokens', whole(1))
    .option('--deadline <seconds>', 'end the run after so long', seconds)
    .option('--fail-fast', 'take no more input after the first error')
    .option('--dry-run', 'show the processes as commands, start nothing')
    .option('--telemetry', 'tell on descriptor 3 what has settled')
    .addOption(new Option('--sources-fd <n>').argParser(whole(1)).hideHelp())
    .addOption(new Option('--budget-fd <n>').argParser(whole(1)).hideHelp())
    .action((...args: unknown[]) => {
      const flags = args.at(-2) as RunFlags
      act(args.slice(0, -2) as (string | undefined)[], flags, optionsOf(flags))
    })

const optionsOf = (flags: RunFlags): Omit<RunOptions, 'binding'> => ({
  ...(flags.eval === undefined ? {} : { eval: flags.eval }),
  ...(flags.sourcesFd === undefined ? {} : { sourcesFd: flags.sourcesFd }),
  rawInput: flags.rawInput === true,
  rawOutput: flags.rawOutput === true,
  envelopes: flags.mux ? 'all' : flags.envelopes ? 'some' : 'none',
  isNumbered: flags.seq === true,
  maxLine: flags.maxLine ?? MAX_LINE,
  maxInFlight: flags.maxInFlight ?? MAX_IN_FLIGHT,
  handedOn: [
    ...(flags.provider ? ['--provider', flags.provider] : []),
    ...(flags.model ? ['--model', flags.model] : []),
    ...(flags.allowHost ?? []).flatMap((host) => ['--allow-host', host]),
    ...(flags.parallelToolCalls ? [] : ['--no-parallel-tool-calls']),
  ],
  docroot: flags.docroot,
  permissions: { grant: flags.grant ?? [], policy: flags.policy, context: flags.context ?? [] },
  provider: flags.provider,
  model: flags.model,
  agentProgram: flags.agentCommand ?? nonEmpty(process.env.PLUMB_AGENT),
  toolProgram: flags.toolCommand ?? nonEmpty(process.env.PLUMB_TOOL),
  telemetry: flags.telemetry === true,
  isDry: flags.dryRun === true,
  isFailFast: flags.failFast === true,
  watching: {
    record: flags.record,
    resume: flags.resume,
    rejects: flags.rejects,
    maxCalls: flags.maxCalls,
    maxTotalTokens: flags.maxTotalTokens,
    deadlineMs: flags.deadline === undefined ? undefined : flags.deadline * 1000,
  },
  sight: sightOf(flags),
  ...(flags.budgetFd === undefined ? {} : { budgetFd: flags.budgetFd }),
})

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text)
