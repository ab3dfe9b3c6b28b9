// The commands, the help, and errors in command lines.

import { existsSync } from 'node:fs'
import { endWith, examples, type Fault, fault, nearest, optionReaders, parseWith, preview, runParsed, type UsageError } from '@plumb/wire'
import { Command, Option } from 'commander'
import { version } from '../package.json'
import type { Commands } from './command/commands.js'
import { FORMATS, type RenderOptions, THEMES } from './command/render-options.js'
import type { Database } from './engine/look.js'
import { CHECK_OPTIONS, type CheckFlags, checkOptionsOf } from './main-check.js'
import { addOptions, type DatabaseFlags, databaseOf, describeEngine } from './main-engine.js'
import { DATABASE_OPTIONS, OPTIONS_OF_STAGE, RUN_OPTIONS, runBinding } from './main-run.js'
import { withSummaryForm } from './main-watch.js'
import type { ApproveOptions } from './record/listed-calls.js'
import type { RunFlags } from './run-flags.js'
import type { TestCommandOptions } from './test/command.js'
import { REPORTER_NAMES, type ReporterName } from './test/report/result.js'
import type { ViewOptions } from './view/view-command.js'

interface TestFlags {
  filter?: string
  reporter: ReporterName
  seed?: number
  jobs?: number
  set?: string[]
  setFile?: string[]
  update?: boolean
  live?: boolean
  record?: boolean
  maxCalls?: number
  maxCost?: number
  coverage?: boolean
  lcov?: string
  mutate?: boolean
  watch?: boolean
  from?: string
  provider?: string
  model?: string[]
  docroot?: string
}

const testOptions = (o: TestFlags): TestCommandOptions => ({
  filter: o.filter,
  reporter: o.reporter,
  seed: o.seed,
  jobs: o.jobs,
  isUpdate: o.update === true,
  isLive: o.live === true,
  isRecording: o.record === true,
  limits: { calls: o.maxCalls, cost: o.maxCost },
  coverage: o.coverage === true,
  lcov: o.lcov,
  isMutating: o.mutate === true,
  isWatching: o.watch === true,
  from: o.from,
  given: { set: o.set, setFile: o.setFile },
  docroot: o.docroot,
  provider: o.provider,
  models: o.model ?? [],
})

/** Runs the command line; resolves to the exit status. */
export const command = (argv: readonly string[], commands: Commands): Promise<number> =>
  runParsed('plumb', openReader(commands)(withSummaryForm(argv)), () => work())

// commander takes `plumb chek a.plumb` for a run of two specs.
const meantByTwo = ({ code }: UsageError, program: Command): Fault | undefined =>
  code === 'commander.excessArguments' ? meantCommand(process.argv[2] ?? '', program) : undefined

// And `plumb chek` for the run of a spec of that name.
const meantCommand = (word: string, program: Command): Fault | undefined => {
  if (existsSync(word)) return undefined
  const near = nearest(
    word,
    program.commands.map((command) => command.name()),
  )
  return near === undefined ? undefined : fault('usage', `there is no command '${preview(word)}'; did you mean '${near}'?`)
}

let work = async (): Promise<number> => 0
const choose = (chosen: typeof work): void => {
  work = chosen
}

const openReader = (commands: Commands): ReturnType<typeof parseWith> => {
  const program = new Command('plumb')
  const read = parseWith(program, (error) => meantByTwo(error, program))
  program
    .description('compiles a spec of typed processes and runs it: JSON Lines in, JSON Lines out')
    .addHelpText('after', examples('plumb spec.plumb <in.jsonl', 'plumb check spec.plumb', 'plumb run --help'))
    .version(version)
  describe(program, commands)
  return read
}

/** A record is named by its directory, and with --on a run by workers by its name. */
const ofRecordOrRun = (
  flags: DatabaseFlags,
  inRecord: () => Promise<number>,
  onDatabase: (database: Database) => Promise<number>,
): Promise<number> => {
  const database = flags.on === undefined ? undefined : databaseOf(flags)
  return database ? onDatabase(database) : inRecord()
}

const describe = (program: Command, commands: Commands): void => {
  const { range, seconds } = optionReaders()
  const run = program
    .command('run', { isDefault: true })
    .description('run main: stdin to stdout')
    .addHelpText('after', examples("plumb -Rr -e 'let main : !string -> !string = map(upper(value))'"))
    .argument('[spec]', 'the spec, a .plumb file')
    .action((spec: string | undefined, flags: RunFlags) =>
      choose(async () => {
        const meant = spec === undefined ? undefined : meantCommand(spec, program)
        return meant ? endWith('plumb', meant) : runBinding(spec, flags)
      }),
    )
  addOptions(run, RUN_OPTIONS)
  const stage = program
    .command('stage')
    .description('run one process of a spec alone')
    .addHelpText('after', examples('plumb stage critic spec.plumb <rec/03-checker-critic.jsonl'))
    .argument('<binding>', 'the process, as it stands in a body')
    .argument('[spec]', 'the spec, a .plumb file')
    .action((binding: string, spec: string | undefined, flags: RunFlags) => choose(() => runBinding(spec, { ...flags, binding })))
  addOptions(stage, OPTIONS_OF_STAGE)
  const check = program
    .command('check')
    .description('say ok, or what is wrong with specs')
    .addHelpText('after', examples('plumb check spec.plumb', 'plumb check --json *.plumb'))
    .argument('[spec...]', 'the specs')
    .action((specs: string[], flags: CheckFlags) => choose(async () => (await commands.check())(specs, checkOptionsOf(flags))))
  addOptions(check, CHECK_OPTIONS)
  program
    .command('fmt')
    .description("lay specs out as they all are, in place; '-': stdin to stdout")
    .addHelpText('after', examples('plumb fmt spec.plumb', 'plumb fmt --check *.plumb', 'plumb fmt - <spec.plumb'))
    .argument('[spec...]', "the specs; '-' is standard input, written to standard output")
    .option('--check', 'change nothing; say which are not so yet')
    .action((specs: string[], o: { check?: boolean }) => choose(async () => (await commands.fmt())(specs, { isCheck: o.check === true })))
  program
    .command('deps')
    .description('say which files a spec reads, as a make rule')
    .addHelpText('after', examples('plumb deps spec.plumb >spec.d'))
    .argument('<spec>', 'the spec')
    .action((spec: string) => choose(async () => (await commands.deps())(spec)))
  program
    .command('render')
    .description('draw the wiring of a spec')
    .addHelpText('after', examples('plumb render -o spec.svg spec.plumb', 'plumb render --format mermaid --binding review spec.plumb'))
    .argument('[spec]', 'the spec, a .plumb file')
    .addOption(new Option('--format <name>', 'what to draw it as').choices(FORMATS))
    .addOption(new Option('--theme <name>', 'background and colours; svg has none, png is light').choices(THEMES))
    .option('--binding <name>', 'draw that binding', 'main')
    .option('-o, --output <file>', 'write to FILE, whole or not at all')
    .option('-e, --eval <text>', 'take the spec from the command line')
    .option('--flows', 'colour what is untrusted and what is secret')
    .option('--parts', 'frame what runs on one machine when it runs on several')
    .action((spec: string | undefined, { flows, ...options }: RenderOptions) =>
      choose(async () => (await commands.render())(spec, { ...options, colours: flows === true })),
    )
  program
    .command('view')
    .description('write a page that shows a recorded run, or a trace of one')
    .addHelpText(
      'after',
      examples('plumb view -o run.html rec', 'plumb view --seq 100-120 rec >part.html', 'plumb view trace.json >run.html'),
    )
    .argument('<run>', 'the directory or run.json of a record, or the file of a trace')
    .option('-o, --output <file>', 'write to FILE, whole or not at all')
    .option('--seq <n>', 'show what came of that input, or of those from N to M with N-M', range)
    .option('--from <seconds>', 'show what was not over so long after the beginning', seconds)
    .action((path: string, options: ViewOptions) => choose(async () => (await commands.view())(path, options)))
  program
    .command('lsp')
    .description('be a language server on standard input and output')
    .addHelpText('after', examples('plumb lsp'))
    .option('--stdio', 'what it does anyhow; editors like to say it')
    .action(() => choose(async () => (await commands.lsp())()))
  program
    .command('completion')
    .description('write what a shell reads to complete command lines')
    .addHelpText('after', examples('. <(plumb completion bash)', 'plumb completion fish >~/.config/fish/completions/plumb.fish'))
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string) => choose(async () => (await commands.completion())(shell)))
  const listing = program
    .command('approvals')
    .description('list the calls of a recorded run that wait for a person')
    .addHelpText('after', examples('plumb approvals rec'))
    .argument('<dir>', 'the record; with --on the name of the run')
    .option('--all', 'also those that are decided or made')
    .action((directory: string, o: { all?: boolean } & DatabaseFlags) =>
      choose(() =>
        ofRecordOrRun(
          o,
          async () => (await commands.approvals())(directory, o),
          async (database) => (await commands.approvalsOn())(database, directory, o.all === true),
        ),
      ),
    )
  addOptions(listing, DATABASE_OPTIONS)
  const deciding = program
    .command('approve')
    .description('allow calls that wait, or deny them')
    .addHelpText('after', examples('plumb approve rec 3f1a90c2d4e5', 'plumb approve --deny --why "not on Fridays" rec 3f1a90c2d4e5'))
    .argument('<dir>', 'the record; with --on the name of the run')
    .argument('<id...>', 'the calls, as plumb approvals names them')
    .option('--deny', 'they are not made')
    .option('--why <text>', 'the reason that the agent gets')
    .option('--until <time>', 'the decision holds until then, such as 2030-01-31T18:00Z')
    .action((directory: string, ids: string[], o: ApproveOptions & DatabaseFlags) =>
      choose(() =>
        ofRecordOrRun(
          o,
          async () => (await commands.approve())(directory, ids, o),
          async (database) => (await commands.approveOn())(database, directory, ids, o),
        ),
      ),
    )
  addOptions(deciding, DATABASE_OPTIONS)
  describeEngine(program, commands, choose)
  const { again, dollars, whole } = optionReaders()
  program
    .command('test')
    .description('run the tests that stand in specs')
    .addHelpText(
      'after',
      examples('plumb test spec.plumb', 'plumb test --filter "two rounds" *.plumb', 'plumb test --reporter junit spec.plumb >report.xml'),
    )
    .argument('[spec...]', 'the specs')
    .option('--filter <text>', 'run only the tests whose names hold this text')
    .addOption(new Option('--reporter <name>', 'how results are written').choices(REPORTER_NAMES).default('text'))
    .option('--seed <n>', 'make random inputs from this number', whole(0))
    .option('--jobs <n>', 'run so many tests at once', whole(1))
    .option('--set <name=value>', 'give a param of the spec this value', again)
    .option('--set-file <file>', 'give params the values of this JSON object', again)
    .option('--update', 'write snapshots in place of comparing with them')
    .option('--live', 'also run tests that ask models')
    .option('--max-calls <n>', 'ask models no more often, in all tests together', whole(1))
    .option('--max-cost <dollars>', 'and spend no more on them', dollars)
    .option('--record', 'with --live: keep what models answer to tests that are recorded')
    .option('--coverage', 'say what no test reached')
    .option('--lcov <file>', 'write what was reached to this file, as lcov does')
    .option('--watch', 'run them again whenever a file of them has changed')
    .option('--mutate', 'change the spec in many ways, and say which changes no test notices')
    .option('--from <dir>', 'write a test made from this record of a run')
    .option('--provider <provider>', 'provider of agents that are live, before what the spec says')
    .option('--model <model>', 'model of agents that are live, before what the spec says; several are compared', again)
    .option('--docroot <dir>', 'directory below which tools that are live may use files')
    .action((specs: string[], o: TestFlags) => choose(async () => (await commands.test())(specs, testOptions(o))))
  program
    .command('explain')
    .description('say what an error code means and how to fix it; without one, list all')
    .addHelpText('after', examples('plumb explain type_mismatch'))
    .argument('[code]', 'a code, such as type_mismatch')
    .action((code: string | undefined) => choose(async () => (await commands.explain())(code)))
  program
    .command('prices')
    .description('say what models cost, in dollars for a million tokens, and of which day that is')
    .addHelpText('after', examples('plumb prices opus', 'plumb prices --update https://example.com/prices.json'))
    .argument('[text]', 'only those with this in their provider or name')
    .option('--update <file>', "take newer prices for this user: a file or an https URL, in the form of --prices or the library's own")
    .action((text: string | undefined, o: { update?: string }) => choose(async () => (await commands.prices())(text, o.update)))
  program
    .command('version')
    .description('say which version this is')
    .addHelpText('after', examples('plumb version --json'))
    .option('--json', 'one object, with the machine, for a report of a fault')
    .action((o: { json?: boolean }) => choose(async () => (await commands.version())(o)))
}
