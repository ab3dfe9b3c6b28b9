// argv in, exit status out.

import { type Fault, fault, nearest, openOutput, Reporter, writeStdout } from '@plumb/wire'
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { version } from '../package.json'
import type { Options } from './options.js'
import { run } from './run.js'

const PROGRAM = 'plumb-mux'

interface Flags {
  unwrap?: true
  tee?: string
  replay?: string
  fds?: string
  maxLine?: number
}

const main = async (argv: readonly string[]): Promise<number> => {
  let asked = ''
  const command = describe((text) => {
    asked += text
  })
  try {
    command.parse(argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const failure = error.exitCode === 0 ? await writeStdout(asked) : usageFault(error, command)
    return failure ? refuse(failure) : 0
  }
  const options = toOptions(command.opts<Flags>(), command.args)
  return typeof options === 'string' ? refuse(fault('usage', options)) : run(options, PROGRAM)
}

const describe = (writeOut: (text: string) => void): Command =>
  new Command(PROGRAM)
    .description('Gives a command real descriptors 0, 1 and 3 to 7, and carries them in envelopes on stdin and stdout.')
    .usage('[options] -- command...')
    .argument('[command...]', 'the program to run, with its arguments')
    .option('--unwrap', 'the inverse: the command speaks envelopes, the descriptors are outside')
    .option('--fds <list>', "which of 3 to 7 there are: '3,6,7' or 'none'")
    .option('--tee <file>', 'record every line, with its time and direction')
    .option('--replay <file>', 'what a record says came out; with a command, what went in goes in again')
    .option('--max-line <bytes>', 'longest message taken (16777216)', toBytes)
    .version(version)
    .passThroughOptions()
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut })
    .showSuggestionAfterError(false)

const toBytes = (text: string): number => {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('it takes a number of bytes')
  return Number(text)
}

// The options, or what is wrong with them.
const toOptions = ({ unwrap, tee, replay, fds, maxLine }: Flags, command: readonly string[]): Options | string => {
  if (command.length === 0 && replay === undefined) return "no command is given: write it after '--', as in 'plumb-mux -- ./agent.sh'"
  if (command.length === 0 && tee !== undefined) return '--tee records a command, and none is given'
  if (tee !== undefined && tee === replay) return `--tee would write over '${tee}' while --replay reads it`
  return {
    command,
    isUnwrapped: unwrap === true,
    ...(tee === undefined ? {} : { tee }),
    ...(replay === undefined ? {} : { replay }),
    ...(fds === undefined ? {} : { fds }),
    ...(maxLine === undefined ? {} : { maxLineBytes: maxLine }),
  }
}

const usageFault = ({ code, message }: CommanderError, command: Command): Fault => {
  const text = message.replace(/^error: /, '').split('\n', 1)[0] ?? ''
  if (code !== 'commander.unknownOption') return fault('usage', text.replace(/\.$/, '').replace('. ', ': '))
  const near = nearest(
    /'(.*)'/.exec(text)?.[1] ?? '',
    command.options.flatMap(({ long }) => (long == null ? [] : [long])),
  )
  return fault('unknown_option', `${text}, ${near === undefined ? 'see --help for those there are' : `did you mean '${near}'?`}`)
}

const refuse = async (error: Fault): Promise<number> => {
  const reporter = new Reporter(PROGRAM, openOutput(2))
  reporter.report(error)
  await reporter.end()
  return reporter.status
}

const crash = (error: unknown): Promise<number> =>
  refuse(fault('internal', error instanceof Error ? (error.stack ?? error.message) : String(error)))

main(process.argv.slice(2))
  .catch(crash)
  .then((status) => {
    process.exitCode = status
  })
