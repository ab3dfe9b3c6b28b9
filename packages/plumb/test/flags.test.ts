// A run that is spelt plainly is read without commander: what is read is what commander reads.

import { Command } from 'commander'
import fc from 'fast-check'
import t from 'tap'
import { addOptions } from '../src/main-engine.js'
import { RUN_OPTIONS, type RunArguments, readPlainRun } from '../src/main-run.js'
import { withSummaryForm } from '../src/main-watch.js'
import type { RunFlags } from '../src/run-flags.js'

const asCommander = (argv: readonly string[]): RunArguments | undefined => {
  let found: RunArguments | undefined
  const program = new Command('plumb')
    .version('0')
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
  const run = program.command('run', { isDefault: true }).argument('[spec]')
  addOptions(run, RUN_OPTIONS)
  run.action(() => {
    found = { spec: run.args[0], flags: run.opts<RunFlags>() }
  })
  for (const name of ['stage', 'check', 'fmt', 'view']) program.command(name).argument('[words...]')
  try {
    program.parse(withSummaryForm(argv), { from: 'user' })
  } catch {
    return undefined
  }
  return found
}

const spellings = RUN_OPTIONS.flatMap(({ flags }) => flags.match(/--?[a-z-]+/gi) ?? [])
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
      const plain = readPlainRun(argv)
      if (!plain) return
      plainly++
      t.strictSame({ ...plain, flags: { binding: 'main', ...plain.flags } }, asCommander(argv), argv.join(' '))
    }),
    { numRuns: 5000 },
  )
  t.ok(plainly > 300, `${plainly} were plain`)
})

t.test('those that are meant to be read so', async (t) => {
  for (const line of ['', 'a.plumb', '-e T', '--binding critic --telemetry --sources-fd 9 -- a.plumb', 'a.plumb -Rr --seq --deadline 1.5'])
    t.ok(readPlainRun(line.split(' ').filter(Boolean)), line)
  for (const line of [
    'check a.plumb',
    '-- check',
    '--help',
    '--version',
    '--summary',
    '--mux',
    '--max-line x',
    'a.plumb b.plumb',
    '--no-progress',
  ])
    t.equal(readPlainRun(line.split(' ')), undefined, line)
})
