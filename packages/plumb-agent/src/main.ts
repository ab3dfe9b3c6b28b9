// argv in, exit status out.

import { type Fault, fault, nearest } from '@plumb/wire'
import { Command, type CommanderError, InvalidArgumentError, Option } from 'commander'
import { version } from '../package.json'
import type { Options } from './options.js'
import { run } from './run.js'
import { openStderr } from './stderr.js'

const PROGRAM = 'plumb-agent'

interface Flags {
  agent?: string
  provider?: string
  model?: string
  docroot?: string
  telemetry?: true
  mux?: true
  fds?: string
  envelopes: boolean
  maxLine?: number
  rawInput?: true
  rawOutput?: true
  eval?: string
  sourcesFd?: number
}

const main = async (argv: readonly string[]): Promise<number> => {
  const command = describe()
  try {
    command.parse(argv, { from: 'user' })
  } catch (error) {
    const { code, exitCode, message } = error as CommanderError
    return exitCode === 0 ? 0 : refuse(usageFault(code, message, command))
  }
  const options = toOptions(command.opts<Flags>(), command.args[0])
  return typeof options === 'string' ? refuse(fault('usage', options)) : run(options, PROGRAM)
}

const describe = (): Command =>
  new Command(PROGRAM)
    .description('One conversation: JSON Lines in, one checked answer a line out.')
    .argument('[spec.plumb]', 'the program that holds the agent')
    .option('--agent <name>', 'the agent to run, where the spec holds several')
    .option('--provider <provider>', 'anthropic, openai or eliza; before what the spec says')
    .option('--model <model>', 'model of the provider; before what the spec says')
    .option('--docroot <dir>', 'folder below which tools may use files')
    .option('--telemetry', 'tell of usage, outputs and errors on fd 3, or in envelopes with --mux')
    .option('--mux', 'envelopes only, on stdin and stdout')
    .option('--fds <list>', "which of fds 3 to 7 are open: '3,6,7' or 'none'")
    .option('--no-envelopes', 'take and give every line as data')
    .option('--max-line <bytes>', 'longest line taken (16777216)', toBytes)
    .option('-R, --raw-input', 'each input line is a string')
    .option('-r, --raw-output', 'write strings without quotes')
    .option('-e, --eval <text>', 'the program itself, in place of a file')
    .addOption(new Option('--sources-fd <n>').argParser(Number).hideHelp())
    .version(version)
    .exitOverride()
    .configureOutput({ writeErr: () => {} })

const toBytes = (text: string): number => {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('it takes a number of bytes')
  return Number(text)
}

// The options, or what is wrong with them.
const toOptions = (flags: Flags, path: string | undefined): Options | string => {
  const { agent, provider, model, docroot, fds, sourcesFd, maxLine } = flags
  const isMux = flags.mux === true
  const isRawInput = flags.rawInput === true
  const isRawOutput = flags.rawOutput === true
  if (flags.eval !== undefined && path !== undefined) return `--eval stands in place of a file, so '${path}' is one program too many`
  if (isMux && (isRawInput || isRawOutput)) return '--mux has envelopes only, so -R and -r cannot be given with it'
  if (isMux && !flags.envelopes) return '--mux and --no-envelopes exclude each other'
  const spec = flags.eval === undefined ? toFile(path) : ({ kind: 'text', text: flags.eval } as const)
  if (!spec) return "no spec is given: name a file, or give its text with -e, as in 'plumb-agent bot.plumb'"
  return {
    spec,
    ...(agent === undefined ? {} : { agent }),
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(docroot === undefined ? {} : { docroot }),
    ...(fds === undefined ? {} : { fds }),
    ...(sourcesFd === undefined ? {} : { sourcesFd }),
    ...(maxLine === undefined ? {} : { maxLineBytes: maxLine }),
    wantsTelemetry: flags.telemetry === true,
    isMux,
    takesEnvelopes: flags.envelopes,
    isRawInput,
    isRawOutput,
  }
}

const toFile = (path: string | undefined): Options['spec'] | undefined => (path === undefined ? undefined : { kind: 'file', path })

const usageFault = (code: string, message: string, command: Command): Fault => {
  const text = message.replace(/^error: /, '').split('\n', 1)[0] ?? ''
  if (code !== 'commander.unknownOption') return fault('usage', text.replace(/\.$/, ''))
  const name = /'(.*)'/.exec(text)?.[1] ?? ''
  const near = nearest(
    name,
    command.options.flatMap(({ hidden, long }) => (hidden || long == null ? [] : [long])),
  )
  return fault('unknown_option', `${text}, ${near === undefined ? 'see --help for those there are' : `did you mean '${near}'?`}`)
}

const refuse = (error: Fault): Promise<number> => {
  const stderr = openStderr(PROGRAM)
  stderr.report(error)
  return stderr.end()
}

const crash = (error: unknown): Promise<number> =>
  refuse(fault('internal', error instanceof Error ? (error.stack ?? error.message) : String(error)))

main(process.argv.slice(2))
  .catch(crash)
  .then((status) => {
    process.exitCode = status
  })
