// A run or a check that is spelt plainly is read without commander: what is read is what commander reads.

import { describeCommand, type OptionRow, type ParsedLine, rowsOf } from '@plumb/wire'
import { Command } from 'commander'
import fc from 'fast-check'
import t from 'tap'
import { RUN_GROUPS, rowsFor } from '../../runtime/src/options/run-options.js'
import { withSummaryForm } from '../src/main-commands.js'
import { CHECK_ROWS, readPlainly } from '../src/main-run.js'

const asCommander = (argv: readonly string[]): (ParsedLine & { readonly command: string }) | undefined => {
  let found: ReturnType<typeof asCommander>
  const program = new Command('plumb')
    .version('0')
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
  const add = (name: string, operand: string, rows: readonly OptionRow[]) => {
    const command = program.command(name, { isDefault: name === 'run' })
    describeCommand(command, { description: '', operands: { [operand]: '' }, rows, examples: [] })
    command.action(() => {
      found = { command: name, parsed: command.opts(), operands: command.args }
    })
  }
  add('run', '[spec]', rowsFor('run'))
  add('check', '[spec...]', Object.values(CHECK_ROWS))
  for (const name of ['stage', 'fmt', 'view']) program.command(name).argument('[words...]')
  try {
    program.parse(withSummaryForm(argv), { from: 'user' })
  } catch {
    return undefined
  }
  return found
}

const spellings = rowsFor('run').flatMap(({ flags }) => flags.match(/--?[a-z-]+/gi) ?? [])
const ODD = [
  '--',
  '-',
  '',
  '-Rr',
  '-ex',
  '--eval=x',
  '--seq=1',
  '--no-seq',
  '--unknown',
  '--version',
  '-V',
  '--help',
  'run',
  '-1',
  'json',
  '--summary=json',
]
const word = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...spellings) },
  { weight: 4, arbitrary: fc.constantFrom('a.plumb', 'check', 'view', '1', '0', '-', 'x y', 'let main', '1.5') },
  { weight: 1, arbitrary: fc.constantFrom(...ODD) },
)

t.test('any command line', async (t) => {
  let plainly = 0
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
      const plain = readPlainly(argv)
      if (!plain) return
      plainly++
      t.strictSame(plain, asCommander(argv), argv.join(' '))
    }),
    { numRuns: 5000 },
  )
  t.ok(plainly > 300, `${plainly} were plain`)
})

const wordOfCheck = fc.oneof(
  fc.constantFrom('--json', '--flows', '-e', '--eval', 'let main', 'a.plumb', '-', 'x y'),
  fc.constantFrom(...spellings, ...ODD, '--jso', '-ej', '--no-json', 'check'),
)

t.test('any command line of check', async (t) => {
  let plainly = 0
  fc.assert(
    fc.property(fc.array(wordOfCheck, { maxLength: 5 }), (words) => {
      const argv = ['check', ...words]
      const plain = readPlainly(argv)
      if (!plain) return
      plainly++
      t.strictSame(plain, asCommander(argv), argv.join(' '))
    }),
    { numRuns: 5000 },
  )
  t.ok(plainly > 300, `${plainly} were plain`)
  for (const line of ['check', 'check a.plumb b.plumb', 'check --json a.plumb', 'check -e T --flows'])
    t.equal(readPlainly(line.split(' '))?.command, 'check', line)
  for (const line of ['check --help', 'check -V', 'check -- a', 'check --x', '--json check', 'run check'])
    t.equal(readPlainly(line.split(' ')), undefined, line)
})

t.test('those that are meant to be read so', async (t) => {
  for (const line of [
    'a.plumb',
    '-e T',
    '--binding critic --telemetry --sources-fd 9 -- a.plumb',
    'a.plumb -Rr --seq --deadline 1.5',
    '--mux --resume rec a.plumb',
  ])
    t.equal(readPlainly(line.split(' ').filter(Boolean))?.command, 'run', line)
  for (const line of ['', '-- check', '--help', '--version', '--summary', '--max-line x', 'a.plumb b.plumb', '--no-progress'])
    t.equal(readPlainly(line.split(' ').filter(Boolean)), undefined, line)
})

t.test('what options need and exclude is there', async (t) => {
  const rows = rowsOf(RUN_GROUPS)
  const names = new Set(rows.flatMap(({ flags }) => flags.match(/--[a-z-]+/g) ?? []))
  for (const { flags, needs = [], excludes = [] } of rows)
    t.strictSame(
      [...needs, ...excludes].filter((name) => !names.has(name)),
      [],
      flags,
    )
})
