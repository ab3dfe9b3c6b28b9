// The options of the commands that run something: run and stage.

import { displayOptionsOf, type RunFlags, type RunOption, type RunOptions, WATCH_OPTIONS } from '@plumb/runtime/options'
import { run } from '@plumb/runtime/run'
import {
  endWith,
  fault,
  givenBudget,
  leastOf,
  MAX_LINE,
  optionReaders,
  parsePlainArguments,
  type Result,
  requireSandbox,
  succeed,
} from '@plumb/wire'

const MAX_IN_FLIGHT = 10_000

const { again, dollars, lanes, rates, seconds, whole } = optionReaders()

/** Options in the order in which a person needs them; so many say what runs on what. */
const INPUT_OPTIONS = 3

export const STAGE_OPTIONS: readonly RunOption[] = [
  { flags: '-e, --eval <text>', text: 'take the spec from the command line' },
  { flags: '-R, --raw-input', text: 'each line of input is a string' },
  { flags: '-r, --raw-output', text: 'write strings unquoted' },
  { flags: '--set <name=value>', text: 'give a param of the spec this value', read: again },
  { flags: '--set-file <file>', text: 'give params the values of this JSON object', read: again },
  { flags: '--provider <provider>', text: 'provider of agents, before what the spec says' },
  { flags: '--model <model>', text: 'model of agents, before what the spec says' },
  ...WATCH_OPTIONS,
  { flags: '--record <dir>', text: 'write what goes over each wire to this directory' },
  { flags: '--resume <dir>', text: 'go on with a recorded run that stopped', conflicts: ['record'] },
  { flags: '--same', text: 'with --resume: refuse when the spec or an option has changed' },
  { flags: '--park', text: 'with --record: what needs a person waits, and is not an error' },
  { flags: '--cache <dir>', text: 'keep answers there, and ask nothing that is kept' },
  { flags: '--cache-only', text: 'with --cache: fail on what is not kept' },
  { flags: '--rejects <file>', text: 'write the inputs that failed to this file' },
  { flags: '--seq', text: 'write {"seq","value"}, with the number of the input' },
  { flags: '--numbered', text: 'write lines that tell what becomes of each input' },
  { flags: '--fail-fast', text: 'take no more input after the first error' },
  { flags: '--max-cost <dollars>', text: 'end the run before it costs more', read: dollars },
  { flags: '--rate <rate>', text: 'a minute: PROVIDER=REQUESTS/TOKENS', read: rates },
  { flags: '--lane <lane>', text: 'batch: ask in batches, for half the price', read: lanes },
  { flags: '--max-calls <n>', text: 'end the run after so many calls of models', read: whole(1) },
  { flags: '--max-total-tokens <n>', text: 'end the run after so many tokens', read: whole(1) },
  { flags: '--deadline <seconds>', text: 'end the run after so long', read: seconds },
  { flags: '--dry-run', text: 'show the processes as commands, start nothing' },
  { flags: '--flows', text: 'check where data may go, whatever the spec says' },
  { flags: '--grant <list>', text: 'effects that tools may have, such as fs.read,net', read: again },
  { flags: '--docroot <dir>', text: 'directory below which tools may use files' },
  { flags: '--policy <file>', text: 'rules on what tools may do, are asked for or denied' },
  { flags: '--context <key=value>', text: 'what rules of a policy may ask for', read: again },
  { flags: '--require-sandbox', text: 'refuse what cannot have a sandbox' },
  { flags: '--allow-host <host>', text: "a host besides the provider's own that gets its key", read: again },
  { flags: '--no-parallel-tool-calls', text: 'one tool call of an agent after the other' },
  { flags: '--agent-command <program>', text: 'run this program in place of plumb-agent' },
  { flags: '--tool-command <program>', text: 'let this program answer tool calls' },
  { flags: '--max-in-flight <n>', text: 'messages that may wait in a loop or barrier (10000)', read: whole(1) },
  { flags: '--max-line <bytes>', text: 'longest line taken (16777216)', read: whole(1) },
  { flags: '--mux', text: 'read and write envelopes only', conflicts: ['rawInput', 'rawOutput', 'envelopes'] },
  { flags: '--no-envelopes', text: 'take every line as data' },
  { flags: '--telemetry', text: 'report on descriptor 3 what is done, or with --numbered in its lines' },
  { flags: '--sources-fd <n>', read: whole(1) },
  { flags: '--kept-fd <n>', read: whole(1) },
  { flags: '--delivery-fd <n>', read: whole(1) },
  { flags: '--events-fd <n>', read: whole(1) },
  { flags: '--let-go-fd <n>', read: whole(1) },
  { flags: '--place <name>' },
  { flags: '--budget-fd <fd>' },
]

/** For stage alone. */
const PART_OPTIONS: readonly RunOption[] = [
  { flags: '--part <n>', text: 'only this part of it, as plumb render --parts shows them', read: whole(1) },
  { flags: '--state-fd <n>', text: 'with --part: memory is read there, and added', read: whole(3) },
]

/** Options of runs by workers. */
export const DATABASE_OPTIONS: readonly RunOption[] = [
  { flags: '--on <url>', text: 'the database of the run, postgres://…, else PLUMB_ON' },
  { flags: '--insecure-database', text: 'also one elsewhere whose certificate is not checked' },
]

/** Those among them that wait for the database. */
export const PATIENCE: RunOption = { flags: '--patience <seconds>', text: 'wait so long for a database that is away (300)', read: seconds }

/** Who runs a stage wants numbered lines. */
const OF_RUN = /^--seq\b/
/** Options that few runs need, or only a parent: shown in the help of stage. */
const OF_STAGE = /^--(numbered|telemetry|no-envelopes|tool-command)\b/
const withoutText = ({ text: _, ...option }: RunOption): RunOption => option

export const OPTIONS_OF_STAGE: readonly RunOption[] = [
  ...STAGE_OPTIONS.map((option) => (OF_RUN.test(option.flags) ? withoutText(option) : option)),
  ...PART_OPTIONS,
]

export const RUN_OPTIONS: readonly RunOption[] = [
  ...STAGE_OPTIONS.slice(0, INPUT_OPTIONS),
  { flags: '--binding <name>', text: 'run that binding', byDefault: 'main' },
  ...STAGE_OPTIONS.slice(INPUT_OPTIONS).map((option) => (OF_STAGE.test(option.flags) ? withoutText(option) : option)),
  { flags: '--on <url>', text: 'let workers run it: see man plumb-work' },
  // The help of other commands has the rest.
  { flags: '--detach', text: 'with --on: end when all input is submitted' },
  { flags: '--ordered', text: 'with --on: outputs in the order of the inputs' },
  { flags: '--keep', text: 'with --on: keep what happens, for a record' },
  { flags: '--pin <part=label>', text: 'with --on: workers with that label have it', read: again },
  ...[{ flags: '--run <name>' }, { flags: '--insecure-database' }],
  { flags: '--unserved-after <s>', text: 'with --on: warn of a part without a worker (60)', read: seconds },
  { flags: '--output <file>' },
  { flags: PATIENCE.flags, read: seconds },
]

export interface RunArguments {
  readonly spec: string | undefined
  readonly flags: RunFlags
}

/** What commander would parse. Undefined: not a plainly spelt run, and possibly anything. */
export const readPlainRun = (argv: readonly string[]): RunArguments | undefined => {
  // The name of a command is lower-case letters, and stands before all options.
  if (/^[a-z]+$|^--$/.test(argv[0] ?? '') || argv.some((word, i) => isOfPlumb(word) || (argv[i - 1] === '--' && word.startsWith('-'))))
    return undefined
  const plain = parsePlainArguments<RunFlags>(RUN_OPTIONS.filter(isPlain), argv, 1)
  return plain && { spec: plain.operands[0], flags: plain.values }
}

// Options of plumb itself, wherever they stand, and those that may have a form after them.
export const isOfPlumb = (word: string): boolean => /^(-V|--version|-h|--help|--summary)/.test(word)

const isPlain = ({ flags, conflicts, choices }: RunOption): boolean =>
  conflicts === undefined && choices === undefined && !flags.endsWith('progress')

export const runBinding = async (spec: string | undefined, flags: RunFlags): Promise<number> => {
  if (flags.cacheOnly && flags.cache === undefined && flags.keptFd === undefined)
    return endWith('plumb', fault('usage', '--cache-only says nothing without --cache'))
  if (flags.park && flags.record === undefined && flags.resume === undefined)
    return endWith('plumb', fault('usage', '--park says nothing without --record or --resume'))
  if (flags.stateFd !== undefined && flags.part === undefined)
    return endWith('plumb', fault('usage', '--state-fd says nothing without --part'))
  const other = (['seq', 'rawOutput', 'mux'] as const).find((name) => flags[name])
  if (flags.numbered && other !== undefined) {
    const option = other === 'rawOutput' ? '--raw-output' : `--${other}`
    return endWith('plumb', fault('usage', `--numbered and ${option} exclude each other`))
  }
  if (flags.same && flags.resume === undefined) return endWith('plumb', fault('usage', '--same says nothing without --resume'))
  const budget = checkBudget(flags)
  if (!budget.ok) return endWith('plumb', budget.error)
  const sandbox = requireSandbox(flags.requireSandbox === true)
  if (flags.on !== undefined && sandbox.ok) {
    const { submitRun } = await import('@plumb/engine')
    return submitRun(spec, flags, flags.on, { ...optionsOf(flags), binding: flags.binding ?? 'main' })
  }
  const alone = (['run', 'detach', 'ordered', 'output', 'keep', 'pin'] as const).find((name) => flags[name] !== undefined)
  if (alone !== undefined) return endWith('plumb', fault('usage', `--${alone} says nothing without --on`))
  return sandbox.ok ? run(spec, { ...optionsOf(flags), binding: flags.binding ?? 'main' }) : endWith('plumb', sandbox.error)
}

export const optionsOf = (flags: RunFlags): Omit<RunOptions, 'binding'> => ({
  ...(flags.eval === undefined ? {} : { eval: flags.eval }),
  given: { set: flags.set, setFile: flags.setFile },
  ...(flags.sourcesFd === undefined ? {} : { sourcesFd: flags.sourcesFd }),
  ...(flags.part === undefined ? {} : { part: flags.part }),
  ...(flags.stateFd === undefined ? {} : { stateFd: flags.stateFd }),
  rawInput: flags.rawInput === true,
  rawOutput: flags.rawOutput === true,
  envelopes: flags.mux ? 'all' : flags.envelopes ? 'some' : 'none',
  numbering: flags.numbered ? 'lines' : flags.seq ? 'seq' : 'none',
  maxLine: flags.maxLine ?? MAX_LINE,
  maxInFlight: flags.maxInFlight ?? MAX_IN_FLIGHT,
  handedOn: [
    ...(flags.provider ? ['--provider', flags.provider] : []),
    ...(flags.model ? ['--model', flags.model] : []),
    ...(flags.allowHost ?? []).flatMap((host) => ['--allow-host', host]),
    ...(flags.rate ?? []).flatMap((rate) => ['--rate', rate]),
    ...(flags.lane === undefined ? [] : ['--lane', flags.lane]),
    ...(flags.parallelToolCalls ? [] : ['--no-parallel-tool-calls']),
  ],
  docroot: flags.docroot,
  flows: flags.flows,
  permissions: { grant: flags.grant ?? [], policy: flags.policy, context: flags.context ?? [] },
  provider: flags.provider,
  model: flags.model,
  agentProgram: flags.agentCommand ?? nonEmpty(process.env.PLUMB_AGENT),
  toolProgram: flags.toolCommand ?? nonEmpty(process.env.PLUMB_TOOL),
  telemetry: flags.telemetry === true,
  ...(flags.letGoFd === undefined ? {} : { letGoFd: flags.letGoFd }),
  cache: flags.cache,
  isCacheOnly: flags.cacheOnly === true,
  ...(flags.keptFd === undefined ? {} : { keptFd: flags.keptFd }),
  ...(flags.deliveryFd === undefined ? {} : { deliveryFd: flags.deliveryFd }),
  ...(flags.eventsFd === undefined ? {} : { eventsFd: flags.eventsFd }),
  keptPlace: flags.place,
  hasRates: flags.rate !== undefined,
  isDry: flags.dryRun === true,
  isFailFast: flags.failFast === true,
  recording: {
    record: flags.record,
    resume: flags.resume,
    isSame: flags.same,
    isParking: flags.park,
    rejects: flags.rejects,
  },
  limits: {
    maxCost: flags.budgetFd === undefined ? (leastOf(flags.maxCost, budgetLeft()) ?? undefined) : undefined,
    maxCalls: flags.maxCalls,
    maxTotalTokens: flags.maxTotalTokens,
    deadlineMs: flags.deadline === undefined ? undefined : flags.deadline * 1000,
  },
  display: displayOptionsOf(flags),
  ...(flags.budgetFd === undefined ? {} : { budgetFd: flags.budgetFd }),
})

/** Refuses a budget that cannot be read. */
export const checkBudget = ({ budgetFd }: Pick<RunFlags, 'budgetFd'>): Result<unknown> =>
  budgetFd === undefined ? givenBudget(process.env) : succeed(undefined)

const budgetLeft = (): number | undefined => {
  const left = givenBudget(process.env)
  return left.ok ? left.value : undefined
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text)
