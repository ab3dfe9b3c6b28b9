// The options of plumb-agent, and what is said of those that it does not have.

import { examples, fail, optionReaders, preview, quietly, type Result, succeed } from '@plumb/wire'
import { Command, InvalidArgumentError, Option } from 'commander'
import { version } from '../package.json'
import type { Options } from './options.js'

interface Flags {
  agent?: string
  provider?: string
  model?: string
  docroot?: string
  grant?: readonly string[]
  policy?: string
  context?: readonly string[]
  allowHost?: readonly string[]
  toolCommand?: string
  parallelToolCalls: boolean
  telemetry?: true
  mux?: true
  specEnvelope?: true
  fds?: string
  envelopes: boolean
  maxLine?: number
  rawInput?: true
  rawOutput?: true
  eval?: string
  sourcesFd?: number
  budgetFd?: number
  tellMemory?: true
}

const { again, whole } = optionReaders(InvalidArgumentError)

/** The options, or the text that --help or --version ask for. */
export const readArguments = (program: string, argv: readonly string[]): Result<Options | string> => {
  const command = new Command(program)
  const readFlags = quietly(command)
  describe(command)
  const read = readFlags(argv)
  if (!read.ok) return read
  return read.value === undefined ? toOptions(command.opts<Flags>(), command.args[0]) : succeed(read.value)
}

const describe = (command: Command): Command =>
  command
    .description('One conversation: JSON Lines in, one checked answer a line out.')
    .argument('[spec.plumb]', 'the program that holds the agent')
    .option('--agent <name>', 'the agent to run, where the spec holds several')
    .option('--provider <provider>', 'anthropic, openai or eliza, not what the spec says')
    .option('--model <model>', 'model of the provider, not what the spec says')
    .option('--docroot <dir>', 'folder below which tools may use files')
    .option('--grant <list>', 'effects that tools may have, such as fs.read,net', again)
    .option('--policy <file>', 'rules on what tools may do, are asked for or denied')
    .option('--context <key=value>', 'what rules of a policy may ask for', again)
    .option('--allow-host <host>', "a host besides the provider's own that gets its key", again)
    .option('--tool-command <program>', 'run this program in place of plumb-tool')
    .option('--no-parallel-tool-calls', 'one tool call after the other, whatever the spec says')
    .option('--telemetry', 'tell on fd 3 what is done, or with --mux in envelopes')
    .option('--mux', 'envelopes only, on stdin and stdout')
    .option('--spec-envelope', 'with --mux: the first envelope is the spec')
    .option('--fds <list>', "which of fds 3 to 7 are open: '3,6,7' or 'none'")
    .option('--no-envelopes', 'take and give every line as data')
    .option('--max-line <bytes>', 'longest line taken (16777216)', whole(1))
    .option('-R, --raw-input', 'each input line is a string')
    .option('-r, --raw-output', 'write strings without quotes')
    .option('-e, --eval <text>', 'the program itself, in place of a file')
    .addOption(new Option('--sources-fd <n>').argParser(whole(0)).hideHelp())
    .addOption(new Option('--budget-fd <n>').argParser(whole(0)).hideHelp())
    .addOption(new Option('--tell-memory').hideHelp())
    .addHelpText(
      'after',
      examples("echo 'I feel sad' | plumb-agent -Rr bot.plumb", 'plumb-agent --agent critic --telemetry a.plumb <in.jsonl 3>telemetry'),
    )
    .version(version)

const toOptions = (flags: Flags, path: string | undefined): Result<Options> => {
  const { agent, provider, model, docroot, grant = [], policy, context = [], allowHost = [], fds, sourcesFd, budgetFd, maxLine } = flags
  const toolCommand = flags.toolCommand ?? (process.env.PLUMB_TOOL || undefined)
  const isMux = flags.mux === true
  const isRawInput = flags.rawInput === true
  const isRawOutput = flags.rawOutput === true
  const spec = toSpec(flags, path)
  if (!spec.ok) return spec
  if (isMux && (isRawInput || isRawOutput)) return fail('usage', '--mux has envelopes only, so -R and -r cannot be given with it')
  if (isMux && !flags.envelopes) return fail('usage', '--mux and --no-envelopes exclude each other')
  return succeed({
    spec: spec.value,
    ...(agent === undefined ? {} : { agent }),
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(docroot === undefined ? {} : { docroot }),
    grants: grant,
    ...(policy === undefined ? {} : { policy }),
    context,
    allowedHosts: allowHost.flatMap((hosts) => hosts.split(',')),
    ...(toolCommand === undefined ? {} : { toolCommand }),
    ...(fds === undefined ? {} : { fds }),
    ...(sourcesFd === undefined ? {} : { sourcesFd }),
    ...(budgetFd === undefined ? {} : { budgetFd }),
    ...(maxLine === undefined ? {} : { maxLineBytes: maxLine }),
    allowsParallelToolCalls: flags.parallelToolCalls,
    wantsTelemetry: flags.telemetry === true,
    tellsMemory: flags.tellMemory === true,
    isMux,
    takesEnvelopes: flags.envelopes,
    isRawInput,
    isRawOutput,
  })
}

const toSpec = ({ eval: text, specEnvelope, mux }: Flags, path: string | undefined): Result<Options['spec']> => {
  const inPlace = text !== undefined ? '--eval' : specEnvelope ? '--spec-envelope' : undefined
  if (inPlace !== undefined && path !== undefined)
    return fail('usage', `${inPlace} stands in place of a file, so '${preview(path)}' is one program too many`)
  if (text !== undefined)
    return specEnvelope ? fail('usage', '--eval and --spec-envelope exclude each other') : succeed({ kind: 'text', text })
  if (specEnvelope) return mux ? succeed({ kind: 'envelope' }) : fail('usage', '--spec-envelope needs --mux')
  if (path !== undefined) return succeed({ kind: 'file', path })
  return fail('usage', "no spec is given: name a file, or give its text with -e, as in 'plumb-agent bot.plumb'")
}
