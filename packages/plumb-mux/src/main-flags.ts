// The options of plumb-mux, read by commander, and the errors for combinations that make no sense.

import { examples, fail, optionReaders, parseWith, type Result, succeed } from '@plumb/wire'
import { Command, InvalidArgumentError } from 'commander'
import { version } from '../package.json'
import type { MuxArguments } from './options.js'

interface Flags {
  unwrap?: true
  tellUnreadable?: true
  tee?: string
  replay?: string
  fds?: string
  maxLine?: number
}

const { whole } = optionReaders(InvalidArgumentError)

/** Returns the options, or the text to print for --help and --version. */
export const readMuxArguments = (program: string, argv: readonly string[]): Result<MuxArguments | string> => {
  const command = new Command(program)
  const readFlags = parseWith(command)
  describe(command)
  const read = readFlags(argv)
  if (!read.ok) return read
  return read.value === undefined ? toOptions(command.opts<Flags>(), command.args) : succeed(read.value)
}

const describe = (command: Command): Command =>
  command
    .description('Gives a command real descriptors 0, 1 and 3 to 7, and carries them in envelopes on stdin and stdout.')
    .usage('[options] -- command...')
    .argument('[command...]', 'the program to run, with its arguments')
    .option('--unwrap', 'the inverse: envelopes inside, descriptors outside')
    .option('--fds <list>', "which of 3 to 7 there are: '3,6,7' or 'none'")
    .option('--tell-unreadable', 'say in its place which line of the command could not be read')
    .option('--tee <file>', 'record every line, with its time and direction')
    .option('--replay <file>', 'play a record back, to a command where one is given')
    .option('--max-line <bytes>', 'longest message taken (16777216)', whole(1))
    .addHelpText(
      'after',
      examples(
        'plumb-mux -- ./agent.sh',
        'plumb-mux --tee session.jsonl -- plumb-agent a.plumb',
        'plumb-mux --unwrap -- ssh host plumb-mux -- plumb-agent a.plumb',
      ),
    )
    .version(version)
    .passThroughOptions()

const toOptions = ({ unwrap, tellUnreadable, tee, replay, fds, maxLine }: Flags, command: readonly string[]): Result<MuxArguments> => {
  if (command.length === 0 && replay === undefined)
    return fail('usage', "no command is given: write it after '--', as in 'plumb-mux -- ./agent.sh'")
  if (command.length === 0 && tee !== undefined) return fail('usage', '--tee records a command, and none is given')
  if (tee !== undefined && tee === replay) return fail('usage', `--tee would write over '${tee}' while --replay reads it`)
  return succeed({
    command,
    isUnwrapped: unwrap === true,
    ...(tellUnreadable ? { tellsUnreadable: true } : {}),
    ...(tee === undefined ? {} : { tee }),
    ...(replay === undefined ? {} : { replay }),
    ...(fds === undefined ? {} : { fds }),
    ...(maxLine === undefined ? {} : { maxLineBytes: maxLine }),
  })
}
