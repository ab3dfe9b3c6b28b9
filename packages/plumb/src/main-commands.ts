// The commands, the help, and errors in command lines.

import { existsSync } from 'node:fs'
import type { Database } from '@plumb/engine'
import { DIRECTIONS, FORMATS, rowsFor, THEMES } from '@plumb/runtime/options'
import { TEST_ROWS } from '@plumb/spec-test/options'
import {
  type CommandLineReader,
  choice,
  describeCommand,
  endWith,
  flag,
  LineWriter,
  list,
  noCommand,
  openInput,
  openOutput,
  parseWith,
  port,
  range,
  readSpecFrom,
  runParsed,
  seconds,
  succeed,
  value,
  whole,
  withDefault,
} from '@plumb/wire'
import { Command } from 'commander'
import { version } from '../package.json'
import { LANGUAGES, type Language } from './command/types/languages.js'
import type { Commands } from './commands.js'
import { type DatabaseValues, databaseOf, describeEngine, JSON_LINES, NAMED_DATABASE } from './main-engine.js'
import { CHECK_ROWS, runBinding } from './main-run.js'
import { CommandTable } from './main-table.js'

const INPUT_IS_STDIN = "the input is standard input, as in 'plumb spec.plumb <in.jsonl'"

/** Runs the command line; resolves to the exit status. Without a word it says how to use it. */
export const command = (argv: readonly string[], commands: Commands): Promise<number> => {
  const program = new Command('plumb')
  const read = parseWith(program, ({ message }) => (/'(run|stage)'/.test(message) ? INPUT_IS_STDIN : undefined))
  const table = new CommandTable(program)
  describeCommand(program, {
    description: 'compiles a spec of typed processes and runs it: JSON Lines in, JSON Lines out',
    rows: [],
    examples: ['plumb spec.plumb <in.jsonl', 'plumb check spec.plumb', 'plumb run --help'],
  })
  program.version(version)
  describe(table, commands)
  if (argv.length === 0) return showUsage(read(['--help'], 2))
  const [word = ''] = argv
  if (isUnknown(word, program)) return runNamed(word, argv.slice(1), program)
  return runParsed('plumb', read(withSummaryForm(argv)), () => table.work())
}

// A first word is a command, else a file, else the rest of the name of a program.
const isUnknown = (word: string, program: Command): boolean =>
  /^[a-z][a-z\d-]*$/.test(word) && word !== 'help' && !program.commands.some((one) => one.name() === word) && !existsSync(word)

const runNamed = async (word: string, args: readonly string[], program: Command): Promise<number> => {
  const { runOnPath } = await import('@plumb/wire/run-on-path')
  const status = await runOnPath(`plumb-${word}`, args)
  return (
    status ??
    endWith(
      'plumb',
      noCommand(
        word,
        program.commands.map((one) => one.name()),
      ),
    )
  )
}

const showUsage = async (help: ReturnType<CommandLineReader>): Promise<number> => {
  const stderr = new LineWriter(openOutput(2))
  if (help.ok) stderr.writeText((help.value ?? '').trimEnd())
  await stderr.end()
  return 2
}

/** `--summary` takes a form only if the next word is one, and never the spec. */
export const withSummaryForm = (argv: readonly string[]): string[] => {
  const words: string[] = []
  for (const [i, word] of argv.entries()) {
    if (word === '--') return [...words, ...argv.slice(i)]
    const isForm = argv[i - 1] === '--summary' && (word === 'text' || word === 'json')
    if (isForm) words[words.length - 1] = `--summary=${word}`
    else words.push(word === '--summary' ? '--summary=text' : word)
  }
  return words
}

/** A record is named by its directory, and with --on a run by workers by its name. */
const ofRecordOrRun = (
  flags: DatabaseValues,
  inRecord: () => Promise<number>,
  onDatabase: (database: Database) => Promise<number>,
): Promise<number> => {
  const database = databaseOf(flags)
  return database ? onDatabase(database) : inRecord()
}

const SPEC = { '[spec]': 'the spec, a .plumb file' }
const SPECS = { '[spec...]': 'the specs' }
const EVAL = value('-e, --eval <text>', 'take the spec from the command line')
const OUTPUT = value('-o, --output <file>', 'write to FILE, whole or not at all')
const RECORD = { '<dir>': 'the record; with --on the name of the run' }

const describe = (table: CommandTable, commands: Commands): void => {
  describeRuns(table)
  table.begin('Write')
  describeSpecs(table, commands)
  table.begin('Look and decide')
  describeRecords(table, commands)
  describeQuestions(table, commands)
  table.begin('Run by workers')
  describeEngine(table, commands)
  table.begin('Others')
  describeOthers(table, commands)
}

const describeRuns = (table: CommandTable): void => {
  table.addParsed(
    'run',
    rowsFor('run'),
    {
      text: 'run main: stdin to stdout',
      operands: SPEC,
      examples: ["plumb -Rr -e 'let main : !string -> !string = map(upper(value))'"],
    },
    ([spec], parsed) => runBinding('run', parsed, spec),
  )
  table.addParsed(
    'stage',
    rowsFor('stage'),
    {
      text: 'run one process of a spec alone',
      operands: { '<binding>': 'the process, as it stands in a body', ...SPEC },
      examples: ['plumb stage critic spec.plumb <rec/03-checker-critic.jsonl'],
    },
    ([binding, spec], parsed) => runBinding('stage', parsed, spec, binding),
  )
}

const describeSpecs = (table: CommandTable, commands: Commands): void => {
  table.add(
    'check',
    CHECK_ROWS,
    { text: 'say ok, or what is wrong with specs', operands: SPECS, examples: ['plumb check spec.plumb', 'plumb check --json *.plumb'] },
    async (specs, values) => (await commands.check())(specs, values),
  )
  table.add(
    'fmt',
    { isCheck: flag('--check', 'change nothing; say which are not so yet') },
    {
      text: "lay specs out as they all are, in place; '-': stdin to stdout",
      operands: { '[spec...]': "the specs; '-' is standard input, written to standard output" },
      examples: ['plumb fmt spec.plumb', 'plumb fmt --check *.plumb', 'plumb fmt - <spec.plumb'],
    },
    async (specs, values) => (await commands.fmt())(specs, values),
  )
  table.add(
    'deps',
    {},
    {
      text: 'say which files a spec reads, as a make rule',
      operands: { '<spec>': 'the spec' },
      examples: ['plumb deps spec.plumb >spec.d'],
    },
    async ([spec = '']) => (await commands.deps())(spec),
  )
  table.add(
    'types',
    {
      to: withDefault(choice('--to <language>', 'the language (%)', LANGUAGES), 'typescript' as Language),
      isPydantic: flag('--pydantic', 'with --to python: models of pydantic, which check what plumb checks'),
      output: OUTPUT,
      eval: EVAL,
    },
    {
      text: 'write the types of a spec in another language, and its processes as functions',
      operands: SPEC,
      examples: ['plumb types -o desk.ts desk.plumb', 'plumb types --to python -o desk.py desk.plumb'],
    },
    async ([spec], values) => (await commands.types())(spec, values),
  )
  table.add(
    'render',
    {
      format: choice('--format <name>', 'what to draw it as', FORMATS),
      theme: choice('--theme <name>', 'background and colours; svg has none, png is light', THEMES),
      binding: withDefault(value('--binding <name>', 'draw that binding (default: %)'), 'main'),
      protocol: value('--protocol <name>', 'draw that protocol, and no binding'),
      output: OUTPUT,
      eval: EVAL,
      direction: choice('--direction <name>', 'where data goes (default: down)', DIRECTIONS),
      expand: withDefault(value('--expand <n>', 'draw nested plumbs open, so many levels deep (default: %)', whole(0)), 0),
      run: value('--run <record>', 'write on it what that run has done: counts, errors, cost and time'),
      colours: flag('--flows', 'colour what is untrusted and what is secret'),
      parts: flag('--parts', 'frame what runs on one machine when it runs on several'),
    },
    {
      text: 'draw the wiring of a spec',
      operands: SPEC,
      examples: ['plumb render -o spec.svg spec.plumb', 'plumb render --format mermaid --binding review spec.plumb'],
    },
    async ([spec], values) => (await commands.render())(spec, values),
  )
  table.add(
    'test',
    TEST_ROWS,
    {
      text: 'run the tests that stand in specs',
      operands: SPECS,
      examples: ['plumb test spec.plumb', 'plumb test --filter "two rounds" *.plumb', 'plumb test --reporter junit spec.plumb >report.xml'],
      page: 'plumb-test',
    },
    async (specs, values) => (await commands.test())(specs, values),
  )
}

const describeRecords = (table: CommandTable, commands: Commands): void => {
  table.add(
    'view',
    {
      output: OUTPUT,
      seq: value('--seq <n>', 'show what came of that input, or of those from N to M with N-M', range),
      from: value('--from <seconds>', 'show what was not over so long after the beginning', seconds),
      against: value('--against <record>', 'compare it with that record, input by input'),
      serve: flag('--serve', 'show it in a browser, all of it, also while it goes on: prints the link'),
      port: value('--port <n>', 'of that link (default: a free one)', port),
    },
    {
      text: 'show a recorded run, or a trace of one, as a page',
      operands: { '<run>': 'the directory or run.json of a record, or the file of a trace' },
      examples: [
        'plumb view -o run.html rec',
        'plumb view --serve rec',
        'plumb view --seq 100-120 rec >part.html',
        'plumb view --against after before >both.html',
      ],
    },
    async ([path = ''], values) => (await commands.view())(path, values),
  )
  table.add(
    'diff',
    {
      set: list('--set <name=value>', 'one of the runs must have been made with this value of a param'),
      json: flag('--json', 'a line for each input that differs, then a summary'),
    },
    {
      text: 'say what two recorded runs made of the same inputs',
      operands: { '<left>': 'the record of one run', '<right>': 'that of the other' },
      examples: ['plumb diff before after', 'plumb diff --json before after'],
    },
    async ([left = '', right = ''], values) => (await commands.diff())(left, right, values),
  )
  table.add(
    'approvals',
    { all: flag('--all', 'also those that are decided or made'), json: JSON_LINES, ...NAMED_DATABASE },
    { text: 'list the calls of a recorded run that wait for a person', operands: RECORD, examples: ['plumb approvals rec'] },
    ([directory = ''], values) =>
      ofRecordOrRun(
        values,
        async () => (await commands.approvals())(directory, values),
        async (database) => (await commands.approvalsOn())(database, directory, values),
      ),
  )
  table.add(
    'approve',
    {
      deny: flag('--deny', 'they are not made'),
      why: value('--why <text>', 'the reason that the agent gets'),
      edit: { ...value('--edit <json>', 'it is made with this input, and not its own'), excludes: ['--deny'] },
      until: value('--until <time>', 'the decision holds until then, such as 2030-01-31T18:00Z'),
      ...NAMED_DATABASE,
    },
    {
      text: 'allow calls that wait, or deny them',
      operands: { ...RECORD, '<id...>': 'the calls, as plumb approvals names them' },
      examples: ['plumb approve rec 3f1a90c2d4e5', 'plumb approve --deny --why "not on Fridays" rec 3f1a90c2d4e5'],
    },
    ([directory = '', ...ids], values) =>
      ofRecordOrRun(
        values,
        async () => (await commands.approve())(directory, ids, values),
        async (database) => (await commands.approveOn())(database, directory, ids, values),
      ),
  )
}

const describeQuestions = (table: CommandTable, commands: Commands): void => {
  table.add(
    'pending',
    { all: flag('--all', 'also those that are answered'), json: JSON_LINES, ...NAMED_DATABASE },
    {
      text: 'list what waits for a person in a recorded run: questions of agents, and calls',
      operands: RECORD,
      examples: ['plumb pending rec'],
    },
    ([directory = ''], values) =>
      ofRecordOrRun(
        values,
        async () => (await commands.pending())(directory, values),
        async (database) => (await commands.pendingOn())(database, directory, values),
      ),
  )
  table.add(
    'answer',
    {
      skip: flag('--skip', 'give no answer: the input fails'),
      why: value('--why <text>', 'the reason, where it is skipped or refused'),
      ...NAMED_DATABASE,
    },
    {
      text: 'answer what waits for a person',
      operands: {
        ...RECORD,
        '<id>': 'the question, as plumb pending names it',
        '[value]': "the answer, a text or JSON; '-' is standard input",
      },
      examples: [
        "plumb answer rec 3f1a90c2d4e5 'Dear Ann, …'",
        'plumb answer rec 3f1a90c2d4e5 - <reply.json',
        'plumb answer --skip rec 3f1a90c2d4e5',
      ],
    },
    async ([directory = '', id = '', given], values) => {
      const text = given === '-' ? await readSpecFrom(openInput(0), '<stdin>') : succeed(given)
      if (!text.ok) return endWith('plumb', text.error)
      return ofRecordOrRun(
        values,
        async () => (await commands.answer())(directory, id, text.value, values),
        async (database) => (await commands.answerOn())(database, directory, id, text.value, values),
      )
    },
  )
}

const describeOthers = (table: CommandTable, commands: Commands): void => {
  table.add(
    'lsp',
    { isOnStdio: flag('--stdio', 'what it does anyhow; editors like to say it') },
    { text: 'be a language server on standard input and output', operands: {}, examples: ['plumb lsp'] },
    async () => (await commands.lsp())(),
  )
  table.add(
    'completion',
    {},
    {
      text: 'write what a shell reads to complete command lines',
      operands: { '<shell>': 'bash, zsh or fish' },
      examples: ['. <(plumb completion bash)', 'plumb completion fish >~/.config/fish/completions/plumb.fish'],
    },
    async ([shell = '']) => (await commands.completion())(shell),
  )
  table.add(
    'explain',
    {},
    {
      text: 'say what an error code means and how to fix it; without one, list all',
      operands: { '[code]': 'a code, such as type_mismatch' },
      examples: ['plumb explain type_mismatch'],
    },
    async ([code]) => (await commands.explain())(code),
  )
  table.add(
    'prices',
    {
      update: value(
        '--update <file>',
        "take newer prices for this user: a file or an https URL, in the form of --prices or the library's own",
      ),
    },
    {
      text: 'say what models cost, in dollars for a million tokens, and of which day that is',
      operands: { '[text]': 'only those with this in their provider or name' },
      examples: ['plumb prices opus', 'plumb prices --update https://example.com/prices.json'],
    },
    async ([text], values) => (await commands.prices())(text, values),
  )
  table.add(
    'version',
    { json: flag('--json', 'one object, with the machine, for a report of a fault') },
    { text: 'say which version this is', operands: {}, examples: ['plumb version --json'] },
    async (_, values) => (await commands.version())(values),
  )
}
