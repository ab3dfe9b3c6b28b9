// The front door: argv and stdio in, exit status out.

import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { fail, MAX_LINE, nearest, openOutput, Reporter } from '@plumb/wire'
import { version } from '../package.json'
import { check } from './check-command.js'
import { explain } from './explain-command.js'
import { run } from './run.js'

const MAX_IN_FLIGHT = 10_000

const number = (text: string): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('it takes a whole number from 1')
  return value
}

const withRunOptions = (command: Command): Command =>
  command
    .argument('[spec]', 'the spec, a .plumb file')
    .option('-e, --eval <text>', 'take the spec from the command line')
    .option('--binding <name>', 'run that binding', 'main')
    .option('-R, --raw-input', 'each line of input is a string')
    .option('-r, --raw-output', 'write strings unquoted')
    .option('--provider <name>', 'provider of agents, before what the spec says')
    .option('--model <name>', 'model of agents, before what the spec says')
    .option('--agent-command <program>', 'run this program in place of plumb-agent')
    .option('--max-in-flight <n>', 'messages that may wait in a cycle or a barrier', number, MAX_IN_FLIGHT)
    .option('--max-line <bytes>', 'the longest line of input', number, MAX_LINE)
    .option('--mux', 'read and write envelopes only')
    .option('--no-envelopes', 'take every line as data')
    .option('--telemetry', 'tell on descriptor 3 what has settled')
    .addOption(new Option('--sources-fd <n>').argParser(number).hideHelp())
    .action(async (spec: string | undefined, o: RunFlags) => {
      process.exitCode = await run(spec, {
        ...(o.eval === undefined ? {} : { eval: o.eval }),
        ...(o.sourcesFd === undefined ? {} : { sourcesFd: o.sourcesFd }),
        binding: o.binding,
        rawInput: o.rawInput === true,
        rawOutput: o.rawOutput === true,
        envelopes: o.mux ? 'all' : o.envelopes ? 'some' : 'none',
        maxLine: o.maxLine,
        maxInFlight: o.maxInFlight,
        handedOn: [...(o.provider ? ['--provider', o.provider] : []), ...(o.model ? ['--model', o.model] : [])],
        agentProgram: o.agentCommand ?? process.env.PLUMB_AGENT,
        telemetry: o.telemetry === true,
      })
    })

interface RunFlags {
  eval?: string
  sourcesFd?: number
  binding: string
  rawInput?: boolean
  rawOutput?: boolean
  provider?: string
  model?: string
  agentCommand?: string
  maxInFlight: number
  maxLine: number
  mux?: boolean
  envelopes: boolean
  telemetry?: boolean
}

const program = new Command('plumb')
  .description('compiles a spec of typed processes and runs it: JSON Lines in, JSON Lines out')
  .version(version)
  .exitOverride()
  .configureOutput({ writeErr: () => {} })
  .showSuggestionAfterError(false)

withRunOptions(program.command('run', { isDefault: true }).description('run main: stdin to stdout'))
program
  .command('check')
  .description('say ok, or what is wrong with specs')
  .argument('[spec...]', 'the specs')
  .option('--json', 'one object a line, on standard output')
  .option('-e, --eval <text>', 'take the spec from the command line')
  .action(async (specs: string[], o: { json?: boolean; eval?: string }) => {
    process.exitCode = await check(specs, { json: o.json === true, ...(o.eval === undefined ? {} : { eval: o.eval }) })
  })
program
  .command('explain')
  .description('say what an error code means and how to mend it')
  .argument('<code>', 'a code, such as type_mismatch')
  .action(async (code: string) => {
    process.exitCode = await explain(code)
  })

const main = async (): Promise<void> => {
  try {
    await program.parseAsync()
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return
    process.exitCode = await refuse(error)
  }
}

const refuse = async ({ code, message }: CommanderError): Promise<number> => {
  const reporter = new Reporter('plumb', openOutput(2))
  const said = message.replace(/^error: /, '').replace(/\n[^]*/, '')
  const option = /unknown option '(-[^']+)'/.exec(said)?.[1]
  const known = [program, ...program.commands].flatMap((c) => c.options.map((o) => o.long ?? ''))
  const near = option && nearest(option, known)
  const hint = near ? `; did you mean '${near}'?` : "; see 'plumb --help'"
  reporter.report(fail(code === 'commander.unknownOption' ? 'unknown_option' : 'usage', said + hint).error)
  await reporter.end()
  return reporter.status
}

void main()
