// A run or a check that is spelt plainly is read without commander: what is read is what commander reads.

import { Command } from 'commander'
import fc from 'fast-check'
import t from 'tap'
import type { RunFlags } from '../../runtime/src/options/run-flags.js'
import { withSummaryForm } from '../../runtime/src/options/watch-options.js'
import { CHECK_OPTIONS, type CheckArguments, type CheckFlags, readPlainCheck } from '../src/main-check.js'
import { addOptions } from '../src/main-engine.js'
import { RUN_OPTIONS, type RunArguments, readPlainRun } from '../src/main-run.js'

interface Found {
  readonly run?: RunArguments
  readonly check?: CheckArguments
}

const asCommander = (argv: readonly string[]): Found | undefined => {
  let found: Found | undefined
  const program = new Command('plumb')
    .version('0')
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
  const run = program.command('run', { isDefault: true }).argument('[spec]')
  addOptions(run, RUN_OPTIONS)
  run.action(() => {
    found = { run: { spec: run.args[0], flags: run.opts<RunFlags>() } }
  })
  const check = program.command('check').argument('[spec...]')
  addOptions(check, CHECK_OPTIONS)
  check.action((specs: string[]) => {
    found = { check: { specs, flags: check.opts<CheckFlags>() } }
  })
  for (const name of ['stage', 'fmt', 'view']) program.command(name).argument('[words...]')
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
      t.strictSame({ run: { ...plain, flags: { binding: 'main', ...plain.flags } } }, asCommander(argv), argv.join(' '))
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
      t.equal(readPlainRun(argv), undefined, argv.join(' '))
      const plain = readPlainCheck(argv)
      if (!plain) return
      plainly++
      t.strictSame({ check: plain }, asCommander(argv), argv.join(' '))
    }),
    { numRuns: 5000 },
  )
  t.ok(plainly > 300, `${plainly} were plain`)
  for (const line of ['check', 'check a.plumb b.plumb', 'check --json a.plumb', 'check -e T --flows'])
    t.ok(readPlainCheck(line.split(' ')), line)
  for (const line of ['check --help', 'check -V', 'check -- a', 'check --x', '--json check', 'run check'])
    t.equal(readPlainCheck(line.split(' ')), undefined, line)
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
