// The options of plumb-tool.

import { examples, optionReaders } from '@plumb/wire'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { version } from '../package.json'
import { VERBS } from './main-verbs.js'

export interface Flags {
  eval?: string
  agent?: string
  docroot?: string
  grant?: readonly string[]
  policy?: string
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
  maxLine?: number
  fds?: string
  offers?: true
  from?: string
  to?: string
  seed?: number
  sourcesFd?: number
}

const { again, whole } = optionReaders(InvalidArgumentError)

export const describe = (command: Command): Command =>
  command
    .description('Lists, calls and serves tools: those of a spec, or else the built-in ones.')
    .usage('[options] [spec.plumb] COMMAND ...')
    .argument('[words...]')
    .option('-e, --eval <text>', 'the spec itself, in place of a file')
    .option('--agent <name>', 'only what this agent may call, with its grant')
    .option('--docroot <dir>', 'folder below which tools may use files')
    .option('--grant <list>', 'effects that are allowed, such as fs.read,net', again)
    .option('--policy <file>', 'rules on what is allowed, asked for or denied')
    .option('--context <key=value>', 'what rules of a policy may ask for', again)
    .option('--provider <provider>', 'for agents that tools start')
    .option('--model <model>', 'for agents that tools start')
    .option('--allow-host <host>', 'for agents that tools start: a host with the key', again)
    .option('--agent-command <program>', 'in place of plumb-agent')
    .option('--json', 'list, find: JSON Lines on a terminal too')
    .option('--envelope', 'call: all about the call, even where it fails')
    .option('-R, --raw-input', 'call: the input, or each line of it, is a string')
    .option('-r, --raw-output', 'call: write strings without quotes')
    .option('-s, --slurp', 'call: all of standard input is one input')
    .option('--check', 'call: try without writing, where the tool can')
    .option('--max-line <bytes>', 'call, serve: longest line taken (16777216)', whole(1))
    .option('--fds <list>', "serve: requests on 4 and answers on 5, as '4,5'")
    .option('--offers', "serve: first what the agent's MCP servers offer")
    .option('--from <type>', 'find: what is there')
    .option('--to <type>', 'find: what is wanted')
    .option('--seed <n>', 'test: repeat the run that had this seed', whole(0))
    .addOption(new Option('--sources-fd <n>').argParser(whole(0)).hideHelp())
    .version(version)
    .addHelpText('after', `\nCommands:\n${VERBS.map(({ name, words, says }) => `  ${`${name} ${words}`.padEnd(26)}${says}`).join('\n')}`)
    .addHelpText('after', examples('plumb-tool call read_file \'{"path":"README.md"}\'', 'plumb-tool a.plumb list'))
