// The commands of runs by workers.

import type { Database } from '@plumb/engine'
import { PATIENCE_SECONDS, type RunFlags, type RunOption } from '@plumb/runtime/options'
import { endWith, examples, fault, optionReaders } from '@plumb/wire'
import { type Command, Option } from 'commander'
import type { Commands } from './commands.js'
import { checkBudget, DATABASE_OPTIONS, optionsOf, PATIENCE, STAGE_OPTIONS } from './main-run.js'

export interface DatabaseFlags {
  on?: string
  insecureDatabase?: true
}

interface WorkerFlags extends Omit<RunFlags, 'run' | 'part'>, DatabaseFlags {
  run?: string[]
  part?: string[]
  label?: string[]
  statusEvery?: number
  slots?: number
  once?: true
  retryAfter?: number
}

/** Options of the commands that inspect or change a run. */
interface LookFlags extends DatabaseFlags {
  json?: true
  watch?: true
  origin?: string[]
}

const { again, seconds, whole } = optionReaders()

/** Options that stage and workers share. */
const WORKER_OPTIONS: readonly RunOption[] = [
  ...DATABASE_OPTIONS,
  { flags: '--run <name>', text: 'serve only that run; several may be named', read: again },
  { flags: '--part <name>', text: 'serve only that part, by its name or number; several may be named', read: again },
  { flags: '--label <name>', text: 'serve parts that are pinned to it; several may be named', read: again },
  { flags: '--slots <n>', text: 'messages of a part in hand at once (100; 500 of expressions alone)', read: whole(1) },
  { flags: '--once', text: 'end when nothing is left to do' },
  { flags: '--retry-after <seconds>', text: 'before a second try of what failed (1), then 5 times as long', read: seconds },
  { flags: '--status-every <seconds>', text: 'say as a line of JSON what is done (60); 0: never', read: seconds },
  PATIENCE,
  { flags: '--binding <name>', text: 'serve runs of that binding', byDefault: 'main' },
  ...STAGE_OPTIONS.filter(({ flags }) =>
    /^--(set|set-file|prices|trace|rate|provider|model|grant|docroot|policy|context|flows|require-sandbox|allow-host|no-parallel-tool-calls|agent-command|tool-command|max-in-flight|max-line)\b/.test(
      flags,
    ),
  ),
]

export const databaseOf = ({ on = process.env.PLUMB_ON, insecureDatabase }: DatabaseFlags): Database | undefined =>
  on ? { url: on, isInsecure: insecureDatabase === true } : undefined

const STATUS_SECONDS = 60
const NO_DATABASE = fault('missing_option', 'say which database: --on postgres://… or PLUMB_ON')

export const describeEngine = (program: Command, commands: Commands, choose: (work: () => Promise<number>) => void): void => {
  const choosing = (flags: DatabaseFlags, work: (database: Database) => Promise<number>) =>
    choose(async () => {
      const database = databaseOf(flags)
      return database ? work(database) : endWith('plumb', NO_DATABASE)
    })
  const worker = program
    .command('work')
    .description('serve runs of a spec that were submitted with --on')
    .addHelpText('after', examples('plumb work --on postgres://db/plumb spec.plumb'))
    .argument('[spec]', 'the spec, a .plumb file: a copy of the one that was submitted')
    .action((spec: string | undefined, flags: WorkerFlags) =>
      choosing(flags, async (database) => {
        const {
          run,
          part,
          label,
          slots,
          once,
          retryAfter = 1,
          statusEvery = STATUS_SECONDS,
          patience = PATIENCE_SECONDS,
          ...others
        } = flags
        const own = {
          runs: run ?? [],
          parts: part ?? [],
          labels: label ?? [],
          statusSeconds: statusEvery,
          slots,
          isOnce: once === true,
          retrySeconds: retryAfter,
          patienceSeconds: patience,
        }
        const options = { ...optionsOf({ ...others, envelopes: true }), binding: flags.binding ?? 'main' }
        const budget = checkBudget({})
        if (!budget.ok) return endWith('plumb', budget.error)
        return (await commands.work())(spec, options, { ...database, ...own })
      }),
    )
  addOptions(worker, WORKER_OPTIONS)
  const engine = program
    .command('engine')
    .description('make the tables of runs by workers, or show them')
    .addHelpText('after', examples('plumb engine --on postgres://db/plumb --init', 'plumb engine --print'))
    .option('--init', "make schema 'plumb' where it is not there")
    .option('--print', 'write its SQL, and that of three roles')
    .option('--sweep <days>', 'forget runs that are over for so long, and say how many', whole(0))
    .action((flags: DatabaseFlags & { init?: true; print?: true; sweep?: number }) =>
      choose(async () => {
        const { init, print, sweep } = flags
        if (!init && !print && sweep === undefined) return endWith('plumb', fault('usage', 'say what to do: --init, --print or --sweep'))
        return (await commands.engine())(databaseOf(flags), { isPrint: print === true, sweepDays: sweep })
      }),
    )
  addOptions(engine, DATABASE_OPTIONS)
  /** A command that inspects or changes a run, wherever it was submitted. */
  const forRun = (
    [name, description, example]: readonly [string, string, string],
    [argument, meaning]: readonly [string, string],
    options: readonly RunOption[],
    act: (database: Database, run: string, flags: LookFlags) => Promise<number>,
  ): void => {
    const command = program
      .command(name)
      .description(description)
      .addHelpText('after', examples(`plumb ${name} --on postgres://db/plumb ${example}`))
      .argument(argument, meaning)
      .action((run: string, flags: LookFlags) => choosing(flags, (database) => act(database, run, flags)))
    addOptions(command, [...options, ...DATABASE_OPTIONS])
  }
  forRun(
    ['runs', 'show what waits, is in hand and done in runs by workers', 'nightly'],
    ['[name]', 'one run'],
    [
      { flags: '--json', text: 'one object a run' },
      { flags: '--watch', text: 'again every 2 seconds, until all are over' },
    ],
    async (database, run: string | undefined, { json, watch }) =>
      (await commands.runs())(database, run, { isJson: json === true, isWatching: watch === true }),
  )
  forRun(
    ['letters', 'list the messages of a run that failed, one object a line', 'nightly'],
    ['<name>', 'the run'],
    [],
    async (database, run) => (await commands.letters())(database, run),
  )
  forRun(['cancel', 'end a run by workers: nothing more of it is done', 'nightly'], ['<name>', 'the run'], [], async (database, run) =>
    (await commands.cancel())(database, run),
  )
  forRun(
    ['drain', 'take no more input of a run by workers; what was taken is done', 'nightly'],
    ['<name>', 'the run'],
    [],
    async (database, run) => (await commands.drain())(database, run),
  )
  forRun(
    ['retry', 'give the messages of a run that failed out again', 'nightly --origin 17'],
    ['<name>', 'the run, which is not over'],
    [{ flags: '--origin <n>', text: 'only those of that input; several may be named', read: again }],
    async (database, run, { origin = [] }) => {
      const origins = origin.map(Number)
      if (origins.some((one) => !Number.isSafeInteger(one) || one < 1))
        return endWith('plumb', fault('usage', '--origin takes the number of an input, from 1'))
      return (await commands.retry())(database, run, origins)
    },
  )
}

export const addOptions = (command: Command, options: readonly RunOption[]): void => {
  for (const { flags, text, read, byDefault, conflicts, choices, preset } of options) {
    const option = new Option(flags, text).hideHelp(text === undefined)
    if (read) option.argParser(read)
    if (byDefault !== undefined) option.default(byDefault)
    if (conflicts) option.conflicts([...conflicts])
    if (choices) option.choices(choices)
    if (preset !== undefined) option.preset(preset)
    command.addOption(option)
  }
}
