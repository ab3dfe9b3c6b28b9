// The commands of runs by workers.

import type { Database } from '@plumb/engine'
import { PATIENCE, rowsFor, runOptions } from '@plumb/runtime/options'
import { endWith, fault, flag, list, type OptionRows, seconds, type ValuesOf, value, valuesOf, whole, withDefault } from '@plumb/wire'
import type { Commands } from './commands.js'
import { withBudgetLeft } from './main-run.js'
import type { CommandTable } from './main-table.js'

/** Of lists that are a table on a terminal. */
export const JSON_LINES = flag('--json', 'one object a line, also on a terminal')

/** Where a database has to be named. */
export const NAMED_DATABASE = {
  url: value('--on <url>', 'the database of the run, postgres://…'),
  isInsecure: flag('--insecure-database', 'also one elsewhere whose certificate is not checked'),
}

const DATABASE_ROWS = {
  ...NAMED_DATABASE,
  url: { ...value('--on <url>', 'the database of the run, postgres://…, else PLUMB_ON'), variable: 'PLUMB_ON' },
}

export type DatabaseValues = ValuesOf<typeof NAMED_DATABASE>

const secondsOrNever = (text: string): number => (text === '0' ? 0 : seconds(text))

const WORKER_ROWS = {
  ...DATABASE_ROWS,
  runs: list('--run <name>', 'serve only that run; several may be named'),
  parts: list('--part <name>', 'serve only that part, by its name or number; several may be named'),
  labels: list('--label <name>', 'serve parts that are pinned to it; several may be named'),
  slots: value('--slots <n>', 'messages of a part in hand at once (100; 500 of expressions alone)', whole(1)),
  isOnce: flag('--once', 'end when nothing is left to do'),
  retrySeconds: withDefault(value('--retry-after <seconds>', 'before a second try of what failed (%), then 5 times as long', seconds), 1),
  statusSeconds: withDefault(value('--status-every <seconds>', 'say as a line of JSON what is done (%); 0: never', secondsOrNever), 60),
  patienceSeconds: PATIENCE,
}

export const databaseOf = ({ url, isInsecure }: DatabaseValues): Database | undefined => (url ? { url, isInsecure } : undefined)

const NO_DATABASE = fault('missing_option', 'say which database: --on postgres://… or PLUMB_ON')

export const describeEngine = (table: CommandTable, commands: Commands): void => {
  describeWorker(table, commands)
  table.add(
    'engine',
    {
      isInit: flag('--init', "make schema 'plumb' where it is not there"),
      isPrint: flag('--print', 'write its SQL, and that of its roles'),
      sweepDays: value('--sweep <days>', 'forget runs that are over for so long, and say how many', whole(0)),
      ...DATABASE_ROWS,
    },
    {
      text: 'make the tables of runs by workers, or show them',
      operands: {},
      examples: ['plumb engine --on postgres://db/plumb --init', 'plumb engine --print'],
    },
    async (_, values) => {
      const { isInit, isPrint, sweepDays } = values
      if (!isInit && !isPrint && sweepDays === undefined)
        return endWith('plumb', fault('usage', 'say what to do: --init, --print or --sweep'))
      return (await commands.engine())(databaseOf(values), { isPrint, sweepDays })
    },
  )
  describeLooks(table, commands)
}

const describeWorker = (table: CommandTable, commands: Commands): void => {
  table.addParsed(
    'work',
    [...Object.values(WORKER_ROWS), ...rowsFor('work')],
    {
      text: 'serve runs of a spec that were submitted with --on',
      operands: { '[spec]': 'the spec, a .plumb file: a copy of the one that was submitted' },
      examples: ['plumb work --on postgres://db/plumb spec.plumb'],
    },
    async ([spec], parsed) => {
      const own = valuesOf(WORKER_ROWS, parsed)
      const database = databaseOf(own)
      if (!database) return endWith('plumb', NO_DATABASE)
      const options = withBudgetLeft(runOptions('work', parsed))
      return options.ok ? (await commands.work())(spec, options.value, { ...own, ...database }) : endWith('plumb', options.error)
    },
  )
}

/** Commands that inspect or change a run, wherever it was submitted. */
const describeLooks = (table: CommandTable, commands: Commands): void => {
  const forRun = <Rows extends OptionRows>(
    [name, text, example]: readonly [string, string, string],
    operands: Readonly<Record<string, string>>,
    rows: Rows,
    act: (database: Database, run: string, values: ValuesOf<Rows>) => Promise<number>,
  ): void => {
    const all = [...Object.values(rows), ...Object.values(DATABASE_ROWS)]
    const description = { text, operands, examples: [`plumb ${name} --on postgres://db/plumb ${example}`] }
    table.addParsed(name, all, description, async ([run = ''], parsed) => {
      const database = databaseOf(valuesOf(DATABASE_ROWS, parsed))
      return database ? act(database, run, valuesOf(rows, parsed)) : endWith('plumb', NO_DATABASE)
    })
  }
  forRun(
    ['runs', 'show what waits, is in hand and done in runs by workers', 'nightly'],
    { '[name]': 'one run' },
    { isJson: JSON_LINES, isWatching: flag('--watch', 'again every 2 seconds, until all are over') },
    async (database, run, values) => (await commands.runs())(database, run === '' ? undefined : run, values),
  )
  forRun(
    ['letters', 'list the messages of a run that failed', 'nightly'],
    { '<name>': 'the run' },
    { isJson: JSON_LINES },
    async (database, run, values) => (await commands.letters())(database, run, values),
  )
  forRun(['cancel', 'end a run by workers: nothing more of it is done', 'nightly'], { '<name>': 'the run' }, {}, async (database, run) =>
    (await commands.cancel())(database, run),
  )
  forRun(
    ['drain', 'take no more input of a run by workers; what was taken is done', 'nightly'],
    { '<name>': 'the run' },
    {},
    async (database, run) => (await commands.drain())(database, run),
  )
  forRun(
    ['retry', 'give the messages of a run that failed out again', 'nightly --origin 17'],
    { '<name>': 'the run, which is not over' },
    { origins: list('--origin <n>', 'only those of that input; several may be named') },
    async (database, run, values) => {
      const origins = values.origins.map(Number)
      if (origins.some((one) => !Number.isSafeInteger(one) || one < 1))
        return endWith('plumb', fault('usage', '--origin takes the number of an input, from 1'))
      return (await commands.retry())(database, run, origins)
    },
  )
}
