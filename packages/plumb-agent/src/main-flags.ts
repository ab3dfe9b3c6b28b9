// The options of plumb-agent, and what is said of those that it does not have.

import { type Fault, fail, fault, nearest, preview, type Result, succeed } from '@plumb/wire'
import { Command, type CommanderError, InvalidArgumentError, Option } from 'commander'
import { version } from '../package.json'
import type { Options } from './options.js'

interface Flags {
  agent?: string
  provider?: string
  model?: string
  docroot?: string
  grant: string[]
  policy?: string
  context: string[]
  allowHost: string[]
  toolCommand?: string
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
}

/** `writeOut` gets help and version. Throws a CommanderError, also where there is nothing left to do. */
export const readArguments = (program: string, argv: readonly string[], writeOut: (text: string) => void): Result<Options> => {
  const command = describe(program, writeOut).parse(argv, { from: 'user' })
  return toOptions(command.opts<Flags>(), command.args[0])
}

const describe = (program: string, writeOut: (text: string) => void): Command =>
  new Command(program)
    .description('One conversation: JSON Lines in, one checked answer a line out.')
    .argument('[spec.plumb]', 'the program that holds the agent')
    .option('--agent <name>', 'the agent to run, where the spec holds several')
    .option('--provider <provider>', 'anthropic, openai or eliza; before what the spec says')
    .option('--model <model>', 'model of the provider; before what the spec says')
    .option('--docroot <dir>', 'folder below which tools may use files')
    .addOption(list('--grant <list>', 'effects that tools may have, such as fs.read,net'))
    .option('--policy <file>', 'rules on what tools may do, are asked for or denied')
    .addOption(list('--context <key=value>', 'what rules of a policy may ask for'))
    .addOption(list('--allow-host <host>', "a host besides the provider's own that gets its key"))
    .option('--tool-command <program>', 'run this program in place of plumb-tool')
    .option('--telemetry', 'tell of usage, tools, outputs and errors on fd 3, or in envelopes with --mux')
    .option('--mux', 'envelopes only, on stdin and stdout')
    .option('--spec-envelope', 'with --mux: the spec is the first envelope, on port spec')
    .option('--fds <list>', "which of fds 3 to 7 are open: '3,6,7' or 'none'")
    .option('--no-envelopes', 'take and give every line as data')
    .option('--max-line <bytes>', 'longest line taken (16777216)', toBytes)
    .option('-R, --raw-input', 'each input line is a string')
    .option('-r, --raw-output', 'write strings without quotes')
    .option('-e, --eval <text>', 'the program itself, in place of a file')
    .addOption(new Option('--sources-fd <n>').argParser(Number).hideHelp())
    .version(version)
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut })

// Lists may be given in one, or one after the other.
const list = (flags: string, description: string): Option =>
  new Option(flags, description).default([], 'none').argParser((text: string, before: string[]) => [...before, text])

const toBytes = (text: string): number => {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('it takes a number of bytes')
  return Number(text)
}

const toOptions = (flags: Flags, path: string | undefined): Result<Options> => {
  const { agent, provider, model, docroot, policy, fds, sourcesFd, maxLine } = flags
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
    grants: flags.grant,
    ...(policy === undefined ? {} : { policy }),
    context: flags.context,
    allowedHosts: flags.allowHost.flatMap((hosts) => hosts.split(',')),
    ...(toolCommand === undefined ? {} : { toolCommand }),
    ...(fds === undefined ? {} : { fds }),
    ...(sourcesFd === undefined ? {} : { sourcesFd }),
    ...(maxLine === undefined ? {} : { maxLineBytes: maxLine }),
    wantsTelemetry: flags.telemetry === true,
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

export const usageFault = ({ code, message }: CommanderError, program: string): Fault => {
  const text = message.replace(/^error: /, '').split('\n', 1)[0] ?? ''
  if (code !== 'commander.unknownOption') return fault('usage', text.replace(/\.$/, ''))
  const name = /'(.*)'/.exec(text)?.[1] ?? ''
  const near = nearest(
    name,
    describe(program, () => {}).options.flatMap(({ hidden, long }) => (hidden || long == null ? [] : [long])),
  )
  return fault('unknown_option', `${text}, ${near === undefined ? 'see --help for those there are' : `did you mean '${near}'?`}`)
}
