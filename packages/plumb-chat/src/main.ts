// argv in, exit status out.

import { endWith, examples, fail, optionReaders, parseWith, type Result, runParsed, runProgram, succeed } from '@plumb/wire'
import { Command, InvalidArgumentError } from 'commander'
import { version } from '../package.json'
import type { ChatOptions } from './options.js'
import { runChat } from './run.js'

const PROGRAM = 'plumb-chat'

const { again } = optionReaders(InvalidArgumentError)

interface Flags {
  eval?: string
  agent?: string
  provider?: string
  model?: string
  docroot?: string
  grant?: string[]
  policy?: string
  set?: string[]
  setFile?: string[]
  context?: string[]
  allowHost?: string[]
  toolCommand?: string
  parallelToolCalls: boolean
  thinking?: true
  history: boolean
  acp?: true
}

const main = (argv: readonly string[]): Promise<number> => {
  const command = new Command(PROGRAM)
  const read = parseWith(command)
  describe(command)
  return runParsed(PROGRAM, read(argv), () => {
    const options = toOptions(command.opts<Flags>(), command.args[0])
    return options.ok ? runChat(options.value, PROGRAM) : endWith(PROGRAM, options.error)
  })
}

const describe = (command: Command): Command =>
  command
    .description('A conversation at a terminal with what a spec holds, or with ELIZA.')
    .argument('[spec.plumb]', 'the program to talk to')
    .option('-e, --eval <text>', 'the program itself, in place of a file')
    .option('--agent <name>', 'talk to that agent, not to main')
    .option('--provider <provider>', 'eliza, anthropic, openai or a server by its name, not what the spec says')
    .option('--model <model>', 'model of the provider, not what the spec says')
    .option('--acp', 'serve an editor: the Agent Client Protocol on stdin and stdout')
    .option('--thinking', 'show what a model thinks, where it is reported')
    .option('--no-history', 'neither read nor keep what is typed')
    .option('--no-parallel-tool-calls', 'one tool call after the other')
    .option('--set <name=value>', 'give a param of the spec this value', again)
    .option('--set-file <file>', 'give params the values of this JSON object', again)
    .option('--docroot <dir>', 'directory below which tools may use files')
    .option('--grant <list>', 'effects that tools may have, such as fs.read,net', again)
    .option('--policy <file>', 'rules on what tools may do, are asked for or denied')
    .option('--context <key=value>', 'what rules of a policy may ask for', again)
    .option('--allow-host <host>', "a host besides the provider's own that gets its key", again)
    .option('--tool-command <program>', 'run this program in place of plumb-tool')
    .addHelpText(
      'after',
      examples(
        'plumb-chat',
        'plumb-chat bot.plumb',
        'plumb-chat --provider anthropic --model MODEL',
        "echo 'Men are all alike.' | plumb-chat",
      ),
    )
    .version(version)

const toOptions = (flags: Flags, path: string | undefined): Result<ChatOptions> => {
  const { eval: text, agent, provider, model, thinking, history } = flags
  if (text !== undefined && path !== undefined) return fail('usage', '--eval takes the place of a file, and a file is given too')
  return succeed({
    spec: path !== undefined ? { kind: 'file', path } : text !== undefined ? { kind: 'text', text } : { kind: 'none' },
    ...(agent === undefined ? {} : { agent }),
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    params: params(flags),
    forwarded: [...params(flags), ...forwarded(flags)],
    showsThinking: thinking === true,
    keepsHistory: history,
    servesAcp: flags.acp === true,
    docroot: flags.docroot,
  })
}

const params = ({ set = [], setFile = [] }: Flags): string[] => [
  ...setFile.flatMap((path) => ['--set-file', path]),
  ...set.flatMap((value) => ['--set', value]),
]

const forwarded = ({ provider, model, docroot, grant, policy, context, allowHost, toolCommand, parallelToolCalls }: Flags): string[] => {
  const one = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value])
  const many = (name: string, values: readonly string[] = []) => values.flatMap((value) => [name, value])
  return [
    ...one('--provider', provider),
    ...one('--model', model),
    ...one('--docroot', docroot),
    ...many('--grant', grant),
    ...one('--policy', policy),
    ...many('--context', context),
    ...many('--allow-host', allowHost),
    ...one('--tool-command', toolCommand),
    ...(parallelToolCalls ? [] : ['--no-parallel-tool-calls']),
  ]
}

runProgram(PROGRAM, version, main)
