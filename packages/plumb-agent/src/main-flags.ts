// The options of plumb-agent, and the errors for unknown ones.

import {
  examples,
  fail,
  type OptionLine,
  optionReaders,
  type PlainArguments,
  type ProviderLane,
  parsePlainArguments,
  parseWith,
  preview,
  type Result,
  requireSandbox,
  succeed,
} from '@plumb/wire'
import { version } from '../package.json'
import type { AgentOptions } from './options.js'
import { printProviders } from './provider/print-providers.js'

interface Flags {
  agent?: string
  provider?: string
  model?: string
  set?: readonly string[]
  setFile?: readonly string[]
  flows?: true
  docroot?: string
  attach?: readonly string[]
  grant?: readonly string[]
  policy?: string
  requireSandbox?: true
  context?: readonly string[]
  allowHost?: readonly string[]
  toolCommand?: string
  parallelToolCalls: boolean
  check?: true
  providers?: true
  probe?: true
  unordered?: true
  failFast?: true
  numbered?: true
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
  cache?: string
  cacheOnly?: true
  keptFd?: number
  deliveryFd?: number
  place?: string
  budgetFd?: string
  maxCost?: number
  prices?: string
  rate?: readonly string[]
  lane?: ProviderLane
  tellMemory?: true
  brief?: true
}

const { again, dollars, lanes, rates, whole } = optionReaders()

// In the order of use: what is run, the format of lines, what becomes of them, what tools may do, how programs communicate with it.
export const AGENT_OPTIONS: readonly OptionLine[] = [
  { flags: '--agent <name>', text: 'the agent to run, where the spec holds several' },
  { flags: '-e, --eval <text>', text: 'the program itself, in place of a file' },
  { flags: '--set <name=value>', text: 'give a param of the spec this value', read: again },
  { flags: '--set-file <file>', text: 'give params the values of this JSON object', read: again },
  { flags: '--provider <provider>', text: 'eliza, anthropic, openai or another of --providers, not what the spec says' },
  { flags: '--model <model>', text: 'model of the provider, not what the spec says' },
  { flags: '-R, --raw-input', text: 'each input line is a string' },
  { flags: '-r, --raw-output', text: 'write strings without quotes' },
  { flags: '--providers', text: 'list the providers: name, endpoint and the variable of the key' },
  { flags: '--probe', text: 'test what the server supports, and print a table or JSON' },
  { flags: '--check', text: 'report what is wrong with the configuration, and end' },
  { flags: '--attach <file>', text: 'an image, PDF, text or audio that goes with each input', read: again },
  { flags: '--unordered', text: 'with concurrency: write each answer when it is made' },
  { flags: '--fail-fast', text: 'send no further input after the first that fails' },
  { flags: '--cache <dir>', text: 'keep answers there, and ask nothing that is kept' },
  { flags: '--cache-only', text: 'with --cache: fail on what is not kept' },
  { flags: '--max-cost <dollars>', text: 'send nothing that could cost more in all', read: dollars },
  { flags: '--prices <file>', text: 'what a million tokens cost, by model' },
  { flags: '--rate <rate>', text: 'a minute: PROVIDER=REQUESTS/TOKENS', read: rates },
  { flags: '--lane <lane>', text: 'batch: ask in batches, for half the price', read: lanes },
  { flags: '--docroot <dir>', text: 'directory below which tools may use files' },
  { flags: '--flows', text: 'check where data may go, whatever the spec says' },
  { flags: '--grant <list>', text: 'effects that tools may have, such as fs.read,net', read: again },
  { flags: '--policy <file>', text: 'rules on what tools may do, are asked for or denied' },
  { flags: '--context <key=value>', text: 'what rules of a policy may ask for', read: again },
  { flags: '--require-sandbox', text: 'refuse what cannot have a sandbox' },
  { flags: '--no-parallel-tool-calls', text: 'one tool call after the other, whatever the spec says' },
  { flags: '--tool-command <program>', text: 'run this program in place of plumb-tool' },
  { flags: '--allow-host <host>', text: "a host besides the provider's own that gets its key", read: again },
  { flags: '--numbered', text: 'write lines that tell what becomes of each input' },
  { flags: '--telemetry', text: 'report what is done: on fd 3, or among numbered lines or envelopes' },
  { flags: '--mux', text: 'envelopes only, on stdin and stdout' },
  { flags: '--no-envelopes', text: 'take and give every line as data' },
  { flags: '--fds <list>', text: "which of fds 3 to 7 are open: '3,6,7' or 'none'" },
  { flags: '--max-line <bytes>', text: 'longest line taken (16777216)', read: whole(1) },
  { flags: '--spec-envelope', text: 'with --mux: the first envelope is the spec' },
  { flags: '--sources-fd <n>', read: whole(0) },
  { flags: '--kept-fd <n>', read: whole(0) },
  { flags: '--delivery-fd <n>', read: whole(0) },
  { flags: '--place <name>' },
  { flags: '--budget-fd <fd>' },
  { flags: '--tell-memory' },
  { flags: '--brief' },
]

/** The options, or the text that --help or --version ask for. */
export const readAgentArguments = (program: string, argv: readonly string[]): Result<AgentOptions | string> => {
  const plain = parsePlainArguments<Flags>(AGENT_OPTIONS, argv, 1)
  const read = plain ? succeed(plain) : readFully(program, argv)
  if (!read.ok) return read
  if (typeof read.value !== 'string' && read.value.values.providers) return succeed(printProviders())
  return typeof read.value === 'string' ? succeed(read.value) : toOptions(read.value.values, read.value.operands[0])
}

/** The result of `parsePlainArguments` if it has one, else help, or the error. */
export const readFully = (program: string, argv: readonly string[]): Result<PlainArguments<Flags> | string> => {
  const { Command, Option } = require('commander') as typeof import('commander')
  const command = new Command(program)
  const readFlags = parseWith(command)
  command
    .description('One conversation: JSON Lines in, one checked answer a line out.')
    .argument('[spec.plumb]', 'the program that holds the agent')
  for (const { flags, text, read } of AGENT_OPTIONS) {
    const option = new Option(flags, text).hideHelp(text === undefined)
    command.addOption(read ? option.argParser(read) : option)
  }
  command
    .addHelpText(
      'after',
      examples("echo 'I feel sad' | plumb-agent -Rr bot.plumb", 'plumb-agent --agent critic --telemetry a.plumb <in.jsonl 3>telemetry'),
    )
    .version(version)
  const read = readFlags(argv)
  if (!read.ok) return read
  return succeed(read.value ?? { values: command.opts(), operands: command.args })
}

const toOptions = (flags: Flags, path: string | undefined): Result<AgentOptions> => {
  const {
    agent,
    provider,
    model,
    docroot,
    attach = [],
    grant = [],
    policy,
    context = [],
    allowHost = [],
    fds,
    sourcesFd,
    budgetFd,
    cache,
    keptFd,
    deliveryFd,
    place,
    maxCost,
    prices,
    maxLine,
  } = flags
  const toolCommand = flags.toolCommand ?? (process.env.PLUMB_TOOL || undefined)
  const isMux = flags.mux === true
  const isRawInput = flags.rawInput === true
  const isRawOutput = flags.rawOutput === true
  const sandbox = requireSandbox(flags.requireSandbox === true)
  if (!sandbox.ok) return sandbox
  const spec = toSpec(flags, path)
  if (!spec.ok) return spec
  if (isMux && (isRawInput || isRawOutput)) return fail('usage', '--mux has envelopes only, so -R and -r cannot be given with it')
  if (flags.numbered && isRawOutput) return fail('usage', '--numbered and -r exclude each other')
  if (isMux && !flags.envelopes) return fail('usage', '--mux and --no-envelopes exclude each other')
  if (flags.cacheOnly && cache === undefined && keptFd === undefined) return fail('usage', '--cache-only says nothing without --cache')
  return succeed({
    spec: spec.value,
    ...(agent === undefined ? {} : { agent }),
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(flags.set ? { set: flags.set } : {}),
    ...(flags.setFile ? { setFile: flags.setFile } : {}),
    ...(flags.flows ? { flows: true } : {}),
    ...(docroot === undefined ? {} : { docroot }),
    attach,
    grants: grant,
    ...(policy === undefined ? {} : { policy }),
    context,
    allowedHosts: allowHost.flatMap((hosts) => hosts.split(',')),
    ...(toolCommand === undefined ? {} : { toolCommand }),
    ...(fds === undefined ? {} : { fds }),
    ...(sourcesFd === undefined ? {} : { sourcesFd }),
    ...(budgetFd === undefined ? {} : { budgetFd }),
    ...(cache === undefined ? {} : { cache }),
    isCacheOnly: flags.cacheOnly === true,
    ...(keptFd === undefined ? {} : { keptFd }),
    ...(deliveryFd === undefined ? {} : { deliveryFd }),
    ...(place === undefined ? {} : { place }),
    rates: flags.rate ?? [],
    ...(flags.lane === undefined ? {} : { lane: flags.lane }),
    ...(maxCost === undefined ? {} : { maxCost }),
    ...(prices === undefined ? {} : { prices }),
    ...(maxLine === undefined ? {} : { maxLineBytes: maxLine }),
    allowsParallelToolCalls: flags.parallelToolCalls,
    isCheck: flags.check === true,
    isProbe: flags.probe === true,
    isUnordered: flags.unordered === true,
    isFailFast: flags.failFast === true,
    wantsTelemetry: flags.telemetry === true,
    emitsMemory: flags.tellMemory === true,
    isBrief: flags.brief === true,
    isNumbered: flags.numbered === true,
    isMux,
    takesEnvelopes: flags.envelopes,
    isRawInput,
    isRawOutput,
  })
}

/** Its provider and model are chosen by other options. */
const PROBED = 'let probe : !string -> !string = agent {}'

const toSpec = ({ eval: text, specEnvelope, mux, probe }: Flags, path: string | undefined): Result<AgentOptions['spec']> => {
  const inPlace = text !== undefined ? '--eval' : specEnvelope ? '--spec-envelope' : undefined
  if (inPlace !== undefined && path !== undefined)
    return fail('usage', `${inPlace} stands in place of a file, so '${preview(path)}' is one program too many`)
  if (text !== undefined)
    return specEnvelope ? fail('usage', '--eval and --spec-envelope exclude each other') : succeed({ kind: 'text', text })
  if (specEnvelope) return mux ? succeed({ kind: 'envelope' }) : fail('usage', '--spec-envelope needs --mux')
  if (path !== undefined) return succeed({ kind: 'file', path })
  if (probe) return succeed({ kind: 'text', text: PROBED })
  return fail('usage', "no spec is given: name a file, or give its text with -e, as in 'plumb-agent bot.plumb'")
}
