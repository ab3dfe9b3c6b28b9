// The options of plumb-tool.

import { examples, type OptionLine, optionReaders, parsePlainArguments, parseWith, type Result, succeed } from '@plumb/wire'
import { version } from '../../package.json'
import { VERBS } from './verbs.js'

export interface Flags {
  eval?: string
  agent?: string
  set?: readonly string[]
  setFile?: readonly string[]
  docroot?: string
  flows?: true
  grant?: readonly string[]
  policy?: string
  requireSandbox?: true
  context?: readonly string[]
  provider?: string
  model?: string
  allowHost?: readonly string[]
  agentCommand?: string
  json?: true
  envelope?: true
  rawInput?: true
  rawOutput?: true
  slurp?: true
  check?: true
  traceSandbox?: true
  maxLine?: number
  fds?: string
  offers?: true
  telemetry?: true
  from?: string
  to?: string
  seed?: number
  sourcesFd?: number
  budgetFd?: string
}

const { again, whole } = optionReaders()

export const TOOL_OPTIONS: readonly OptionLine[] = [
  { flags: '-R, --raw-input', text: 'call: the input, or each line of it, is a string' },
  { flags: '-r, --raw-output', text: 'call: write strings without quotes' },
  { flags: '-s, --slurp', text: 'call: all of standard input is one input' },
  { flags: '--envelope', text: 'call: all about the call, even where it fails' },
  { flags: '--check', text: 'call: try without writing, where the tool can' },
  { flags: '--trace-sandbox', text: 'call: what the sandbox of a program refused it' },
  { flags: '--from <type>', text: 'find: what is there' },
  { flags: '--to <type>', text: 'find: what is wanted' },
  { flags: '--json', text: 'list, find, sandbox: JSON Lines' },
  { flags: '-e, --eval <text>', text: 'the spec itself, in place of a file' },
  { flags: '--agent <name>', text: 'only what this agent may call, with its grant' },
  { flags: '--set <name=value>', text: 'give a param of the spec this value', read: again },
  { flags: '--set-file <file>', text: 'give params the values of this JSON object', read: again },
  { flags: '--provider <provider>', text: 'for agents that tools start' },
  { flags: '--model <model>', text: 'for agents that tools start' },
  { flags: '--docroot <dir>', text: 'directory below which tools may use files' },
  { flags: '--flows', text: 'check where data may go, whatever the spec says' },
  { flags: '--grant <list>', text: 'effects that are allowed, such as fs.read,net', read: again },
  { flags: '--policy <file>', text: 'rules on what is allowed, asked for or denied' },
  { flags: '--context <key=value>', text: 'what rules of a policy may ask for', read: again },
  { flags: '--require-sandbox', text: 'refuse what cannot have a sandbox' },
  { flags: '--allow-host <host>', text: 'for agents that tools start: a host with the key', read: again },
  { flags: '--agent-command <program>', text: 'in place of plumb-agent' },
  { flags: '--max-line <bytes>', text: 'call, serve: longest line taken (16777216)', read: whole(1) },
  { flags: '--fds <list>', text: "serve: requests on 4 and answers on 5, as '4,5'" },
  { flags: '--offers', text: "serve: first what the agent's MCP servers offer" },
  { flags: '--seed <n>', text: 'test: repeat the run that had this seed', read: whole(0) },
  { flags: '--telemetry' },
  { flags: '--sources-fd <n>', read: whole(0) },
  { flags: '--budget-fd <fd>' },
]

export interface Words {
  readonly words: readonly string[]
  readonly flags: Flags
}

/** The parsed command line, or the text that --help or --version ask for. */
export const readToolArguments = async (program: string, argv: readonly string[]): Promise<Result<Words | string>> =>
  readPlainWords(argv) ?? readToolArgumentsFully(program, argv)

/** Undefined: commander has to parse it. */
export const readPlainWords = (argv: readonly string[]): Result<Words> | undefined => {
  const plain = parsePlainArguments<Flags>(TOOL_OPTIONS, argv, Number.POSITIVE_INFINITY)
  return plain && succeed({ words: plain.operands, flags: plain.values })
}

/** The result of `readWords` if it has one, else help, or the error. */
export const readToolArgumentsFully = async (program: string, argv: readonly string[]): Promise<Result<Words | string>> => {
  const { Command, Option } = await import('commander')
  const command = new Command(program)
  const readFlags = parseWith(command)
  command
    .description('Lists, calls and serves tools: those of a spec, or else the built-in ones.')
    .usage('[options] [spec.plumb] COMMAND ...')
    .argument('[words...]')
  for (const { flags, text, read } of TOOL_OPTIONS) {
    const option = new Option(flags, text).hideHelp(text === undefined)
    command.addOption(read ? option.argParser(read) : option)
  }
  command
    .version(version)
    .addHelpText('after', `\nCommands:\n${VERBS.map(({ name, words, says }) => `  ${`${name} ${words}`.padEnd(26)}${says}`).join('\n')}`)
    .addHelpText('after', examples('plumb-tool call read_file \'{"path":"README.md"}\''))
  const read = readFlags(argv)
  return read.ok ? succeed(read.value ?? { words: command.args, flags: command.opts<Flags>() }) : read
}
