// The options of the commands that run something: run, stage and work. A row is all that there is to say of one, and its group is how its
// value is passed on.

import {
  attributeOf,
  CACHE_ROWS,
  choice,
  dollars,
  FLOWS,
  flag,
  type GivenOptions,
  type GroupsOf,
  groupsOf,
  list,
  MAX_LINE_ROW,
  MODEL_ROWS,
  type OptionRow,
  type OptionRows,
  optionWords,
  PARAM_ROWS,
  type ParsedOptions,
  PERMISSION_ROWS,
  REQUEST_ROWS,
  REQUIRE_SANDBOX,
  seconds,
  value,
  whole,
  withDefault,
} from '@plumb/wire'

type RunCommand = 'run' | 'stage' | 'work'

interface MoreOfRow {
  /** The commands that have it; by default run and stage. */
  readonly commands?: readonly RunCommand[]
  /** The command whose help does not show it. */
  readonly hiddenIn?: RunCommand
  /** Why a run by workers (--on) cannot have it. */
  readonly notByWorkers?: string
  /** It is for a command that stays until the run is over: not with --detach. */
  readonly isForWhole?: true
}

type RunRow<Value = unknown> = OptionRow<Value> & MoreOfRow

const row = <Value>(base: OptionRow<Value>, more: MoreOfRow & Pick<OptionRow, 'needs' | 'excludes' | 'variable'>): RunRow<Value> => ({
  ...base,
  ...more,
})

const rows = <Rows extends OptionRows>(commands: readonly RunCommand[], from: Rows): Rows =>
  Object.fromEntries(Object.entries(from).map(([name, base]) => [name, { ...base, commands }])) as unknown as Rows

const EACH = ['run', 'stage', 'work'] as const
const WITH_ON = { needs: ['--on'] }

/** How long a database that is away is waited for. */
export const PATIENCE = withDefault(value('--patience <seconds>', 'wait so long for a database that is away (%)', seconds), 300)

/** Of the groups in the help. */
const HEADINGS = {
  spec: 'Spec and lines',
  lines: 'Spec and lines',
  run: 'The run',
  permissions: 'What tools may do',
  agents: 'Agents and programs',
  programs: 'Agents and programs',
  kept: 'Agents and programs',
  display: 'What is shown and kept',
  recording: 'What is shown and kept',
  limits: 'The run',
  parent: 'The run',
  workers: 'By workers',
} as const

export const RUN_GROUPS = {
  spec: {
    eval: value('-e, --eval <text>', 'take the spec from the command line'),
    ...rows(EACH, { ...PARAM_ROWS, flows: FLOWS }),
    /** The descriptor on which a parent hands over all texts. */
    sourcesFd: value('--sources-fd <n>', undefined, whole(1)),
  },
  lines: {
    rawInput: flag('-R, --raw-input', 'each line of input is a string'),
    rawOutput: flag('-r, --raw-output', 'write strings unquoted'),
    /** Outputs are written with the numbers of their inputs. */
    hasSeq: row(flag('--seq', 'write {"seq","value"}, with the number of the input'), { hiddenIn: 'stage', isForWhole: true }),
    /** What becomes of each input is told in numbered lines. */
    isNumbered: row(flag('--numbered', 'write lines that tell what becomes of each input'), {
      hiddenIn: 'run',
      excludes: ['--seq', '--raw-output', '--mux'],
    }),
    isMux: row(flag('--mux', 'read and write envelopes only'), {
      excludes: ['--raw-input', '--raw-output', '--no-envelopes'],
      notByWorkers: 'outputs are envelopes where there are several',
    }),
    takesEnvelopes: row(flag('--no-envelopes', 'take every line as data'), { hiddenIn: 'run' }),
    ...rows(EACH, { maxLine: MAX_LINE_ROW }),
  },
  run: {
    binding: row(withDefault(value('--binding <name>', 'the binding that is run (default: %)'), 'main'), { commands: ['run', 'work'] }),
    /** No more input is read after the first error; messages in flight may finish. */
    isFailFast: row(flag('--fail-fast', 'take no more input after the first error'), { isForWhole: true }),
    /** Only shows what would be started. */
    isDry: row(flag('--dry-run', 'show the processes as commands, start nothing'), {
      notByWorkers: 'plumb render --parts shows what workers run',
    }),
    maxInFlight: row(withDefault(value('--max-in-flight <n>', 'messages that may wait in a loop or barrier (%)', whole(1)), 10_000), {
      commands: EACH,
    }),
  },
  /** What is handed on to every child, as words. */
  agents: {
    ...rows(EACH, { ...MODEL_ROWS, ...REQUEST_ROWS }),
    lane: row(REQUEST_ROWS.lane, { notByWorkers: 'what waits in a batch of a provider is known to one process alone' }),
  },
  permissions: rows(EACH, { ...PERMISSION_ROWS, requireSandbox: REQUIRE_SANDBOX }),
  /** In place of our own. */
  programs: {
    agent: row(value('--agent-command <program>', 'run this program in place of plumb-agent'), { variable: 'PLUMB_AGENT', commands: EACH }),
    tool: row(value('--tool-command <program>', 'let this program answer tool calls'), {
      variable: 'PLUMB_TOOL',
      commands: EACH,
      hiddenIn: 'run',
    }),
  },
  display: {
    /** Undefined: if standard error is a terminal and standard input is not. */
    progress: row<boolean | undefined>(
      {
        ...value('--progress', 'show each stage at work; the default on a terminal'),
        byDefault: undefined,
        opposite: { flags: '--no-progress', text: 'show none' },
      },
      { isForWhole: true },
    ),
    summary: row(
      { ...choice<'text' | 'json'>('--summary [form]', 'totals at the end, on stderr', ['text', 'json']), preset: 'text' },
      { isForWhole: true },
    ),
    prices: row(value('--prices <file>', 'what a million tokens cost, by model'), { commands: EACH }),
    trace: row(value('--trace <file>', 'write a timeline that Perfetto and plumb view open'), { commands: EACH, isForWhole: true }),
  },
  recording: {
    record: row(value('--record <dir>', 'write what goes over each wire to this directory'), { isForWhole: true }),
    /** The run is recorded there too. */
    resume: row(value('--resume <dir>', 'go on with a recorded run that stopped'), {
      excludes: ['--record'],
      notByWorkers: 'the same command with --run NAME goes on where it was',
    }),
    isSame: row(flag('--same', 'with --resume: refuse when the spec or an option has changed'), {
      needs: ['--resume'],
      notByWorkers: 'a run by workers goes on only with the same spec',
    }),
    isParking: row(flag('--park', 'with --record: what needs a person waits, and is not an error'), {
      needs: ['--record', '--resume'],
      notByWorkers: 'what needs a person waits there anyhow',
    }),
    rejects: row(value('--rejects <file>', 'write the inputs that failed to this file'), { isForWhole: true }),
  },
  kept: CACHE_ROWS,
  limits: {
    /** Nanodollars. */
    maxCost: value('--max-cost <dollars>', 'end the run before it costs more', dollars),
    maxCalls: value('--max-calls <n>', 'end the run after so many calls of models', whole(1)),
    maxTotalTokens: value('--max-total-tokens <n>', 'end the run after so many tokens', whole(1)),
    deadlineMs: value('--deadline <seconds>', 'end the run after so long', (text) => seconds(text) * 1000),
  },
  /** What a parent asks for, and its descriptors. */
  parent: {
    telemetry: row(flag('--telemetry', 'report on descriptor 3 what is done, or with --numbered in its lines'), {
      hiddenIn: 'run',
      notByWorkers: 'it is for a parent',
    }),
    /** Deliveries, in a run by workers. */
    deliveryFd: value('--delivery-fd <n>', undefined, whole(1)),
    /** The events of this process. */
    eventsFd: value('--events-fd <n>', undefined, whole(1)),
    /** Requests to flush batches. */
    letGoFd: value('--let-go-fd <n>', undefined, whole(1)),
    budgetFd: value('--budget-fd <fd>'),
    /** With --numbered: a person is asked in lines of the port ctrl_out, and answers there. */
    answersFd: row(value('--answers-fd <n>', undefined, whole(1)), { notByWorkers: 'it is for a parent' }),
    /** Where they are asked, if not in numbered lines. */
    questionsFd: row(value('--questions-fd <n>', undefined, whole(1)), { notByWorkers: 'it is for a parent' }),
    ...rows(['stage'], {
      part: value('--part <n>', 'only this part of it, as plumb render --parts shows them', whole(1)),
      stateFd: { ...value('--state-fd <n>', 'with --part: memory is read there, and added', whole(3)), needs: ['--part'] },
    }),
  },
  workers: rows(['run'], {
    url: value('--on <url>', 'let workers run it: see man plumb-work'),
    isDetached: { ...flag('--detach', 'with --on: end when all input is submitted'), ...WITH_ON },
    isOrdered: row(flag('--ordered', 'with --on: outputs in the order of the inputs'), { ...WITH_ON, isForWhole: true }),
    isKept: { ...flag('--keep', 'with --on: keep what happens, for a record'), ...WITH_ON },
    /** `PART=LABEL`. */
    pins: { ...list('--pin <part=label>', 'with --on: workers with that label have it'), ...WITH_ON },
    unservedSeconds: withDefault(value('--unserved-after <s>', 'with --on: warn of a part without a worker (%)', seconds), 60),
    // The help of other commands has the rest.
    name: { ...value('--run <name>'), ...WITH_ON },
    isInsecure: flag('--insecure-database'),
    /** A file in place of stdout. */
    output: row(value('--output <file>'), { ...WITH_ON, isForWhole: true }),
    patienceSeconds: { ...PATIENCE, text: undefined },
  }),
}

type Given = GroupsOf<typeof RUN_GROUPS>

export interface RunOptions extends Given {
  readonly display: Given['display'] & {
    /** Show the cost even if there is none. */
    readonly asksCost: boolean
  }
}

/** As given to `--grant`, `--policy` and `--context`. */
export type Permissions = Pick<Given['permissions'], 'grant' | 'policy' | 'context'>

/** How a spec is loaded. */
export interface SpecOptions {
  /** The text itself, in place of a file. */
  readonly eval?: string | undefined
  /** The descriptor on which a parent hands over all texts. */
  readonly sourcesFd?: number | undefined
  /** Where files are that a prompt file in place of a spec may include. */
  readonly grant?: readonly string[]
  readonly docroot?: string | undefined
  /** `--flows`. */
  readonly flows?: boolean | undefined
  /** For drawing only: flows are shown, and not enforced. */
  readonly ignoresFlows?: boolean
  /** Warnings are shown. */
  readonly isCheck?: boolean
  /** Whoever wrote the spec is not trusted: its errors show lines of no file that is not called as specs are. */
  readonly isOfStrangers?: boolean
  /** The values of params. Undefined: nothing will be run. */
  readonly given?: GivenOptions
}

/** The options of one command. */
export const rowsFor = (command: RunCommand): readonly RunRow[] =>
  Object.entries(RUN_GROUPS)
    .flatMap(([group, own]) =>
      (Object.values(own) as readonly RunRow[]).map((one) => ({ ...one, heading: HEADINGS[group as keyof typeof RUN_GROUPS] })),
    )
    .filter(({ commands = ['run', 'stage'] }) => commands.includes(command))
    .map((one) => (one.hiddenIn === command ? { ...one, text: undefined } : one))

/** Options of the command that are none of these are left out. */
export const runOptions = (command: RunCommand, parsed: ParsedOptions): RunOptions => {
  const own = Object.fromEntries(rowsFor(command).map(({ flags }) => [attributeOf(flags), parsed[attributeOf(flags)]]))
  const given = groupsOf(RUN_GROUPS, own)
  const asksCost = given.display.prices !== undefined || given.limits.maxCost !== undefined
  return { ...given, display: { ...given.display, asksCost } }
}

/** What is said of agents, as a command line says it. */
export const wordsOfAgents = (agents: RunOptions['agents']): readonly string[] => optionWords(RUN_GROUPS.agents, agents)

/** For `loadSpec`. */
export const loadingOptions = ({ spec, permissions }: RunOptions): SpecOptions => ({ ...spec, given: spec, ...permissions })

/** Which lines are envelopes. */
export const envelopesOf = ({ isMux, takesEnvelopes }: RunOptions['lines']): 'all' | 'some' | 'none' =>
  isMux ? 'all' : takesEnvelopes ? 'some' : 'none'
