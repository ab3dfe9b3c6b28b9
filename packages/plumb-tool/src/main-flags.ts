// The options of plumb-tool, and what is said of those that it does not have.

import { type Fault, fault, nearest } from '@plumb/wire'
import { Command, type CommanderError, InvalidArgumentError, Option } from 'commander'
import { version } from '../package.json'
import { VERBS } from './main-verbs.js'

export interface Flags {
  eval?: string
  agent?: string
  docroot?: string
  grant?: string[]
  policy?: string
  context?: string[]
  provider?: string
  model?: string
  allowHost?: string[]
  agentCommand?: string
  json?: true
  envelope?: true
  rawInput?: true
  rawOutput?: true
  slurp?: true
  check?: true
  maxLine?: number
  fds?: string
  from?: string
  to?: string
  seed?: number
  sourcesFd?: number
}

export const describe = (program: string, writeOut: (text: string) => void): Command =>
  new Command(program)
    .description('Lists, calls and serves tools: those of a spec, or without one the built-in tools.')
    .usage('[options] [spec.plumb] COMMAND ...')
    .argument('[words...]')
    .option('-e, --eval <text>', 'the spec itself, in place of a file')
    .option('--agent <name>', 'only what this agent may call, with its grant')
    .option('--docroot <dir>', 'folder below which tools may use files')
    .addOption(list('--grant <list>', 'effects that are allowed, such as fs.read,net; net.private alone adds it'))
    .option('--policy <file>', 'rules on what is allowed, asked for or denied')
    .addOption(list('--context <key=value>', 'what rules of a policy may ask for'))
    .option('--provider <provider>', 'for agents that tools start')
    .option('--model <model>', 'for agents that tools start')
    .addOption(list('--allow-host <host>', "for agents that tools start: a host besides the provider's own that gets its key"))
    .option('--agent-command <program>', 'in place of plumb-agent')
    .option('--json', 'list, find: JSON Lines on a terminal too')
    .option('--envelope', 'call: all about the call, whether it succeeds or not')
    .option('-R, --raw-input', 'call: the input, or each line of it, is a string')
    .option('-r, --raw-output', 'call: write strings without quotes')
    .option('-s, --slurp', 'call: all of standard input is one input')
    .option('--check', 'call: try without writing, where the tool can')
    .option('--max-line <bytes>', 'call, serve: longest line taken (16777216)', toBytes)
    .option('--fds <list>', "serve: requests on 4 and answers on 5, as '4,5'")
    .option('--from <type>', 'find: what is there')
    .option('--to <type>', 'find: what is wanted')
    .option('--seed <n>', 'test: repeat the run that had this seed', toSeed)
    .addOption(new Option('--sources-fd <n>').argParser(Number).hideHelp())
    .version(version)
    .addHelpText('after', `\nCommands:\n${VERBS.map(({ name, words, says }) => `  ${`${name} ${words}`.padEnd(26)}${says}`).join('\n')}`)
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut })

// Lists may be given in one, or one after the other.
const list = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((text: string, before: string[] = []) => [...before, text])

const toBytes = (text: string): number => {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('it takes a number of bytes')
  return Number(text)
}

const toSeed = (text: string): number => {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError('it takes a whole number')
  return Number(text)
}

export const usageFault = ({ code, message }: CommanderError, command: Command): Fault => {
  const text = message.replace(/^error: /, '').split('\n', 1)[0] ?? ''
  if (code !== 'commander.unknownOption') return fault('usage', text.replace(/\.$/, ''))
  const name = /'(.*)'/.exec(text)?.[1] ?? ''
  const near = nearest(
    name,
    command.options.flatMap(({ hidden, long }) => (hidden || long == null ? [] : [long])),
  )
  return fault('unknown_option', `${text}, ${near === undefined ? 'see --help for those there are' : `did you mean '${near}'?`}`)
}
