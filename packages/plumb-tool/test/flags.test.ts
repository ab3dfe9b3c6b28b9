// A plain command line is read without commander: what is read is what commander reads.

import { parseFully, parsePlainly, rowsOf } from '@plumb/wire'
import { Command } from 'commander'
import fc from 'fast-check'
import t from 'tap'
import { TOOL_FORM } from '../src/cli/flags.js'

const ROWS = rowsOf(TOOL_FORM.groups)
const readPlainly = (argv: readonly string[]) => parsePlainly({ ...TOOL_FORM, rows: ROWS }, argv)

const spellings = ROWS.flatMap(({ flags }) => flags.match(/--?[a-z-]+/gi) ?? [])
const ODD = [
  '--',
  '-',
  '',
  '-Rr',
  '-rs',
  '-ex',
  '--eval=x',
  '--json=1',
  '--no-json',
  '--seed=1',
  '--unknown',
  '--version',
  '-V',
  '--help',
  '-h',
  '-1',
]
const word = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...spellings) },
  { weight: 4, arbitrary: fc.constantFrom('a.plumb', 'list', 'call', '1', '0', '-', 'x y', '{"n":1}', '007', '1.5') },
  { weight: 1, arbitrary: fc.constantFrom(...ODD) },
)

t.test('any command line', async (t) => {
  let plainly = 0
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
      const plain = readPlainly(argv)
      if (!plain) return
      plainly++
      t.strictSame({ ok: true, value: plain }, parseFully(TOOL_FORM, argv, Command), argv.join(' '))
    }),
    { numRuns: 3000 },
  )
  t.ok(plainly > 300, `${plainly} were plain`)
})

t.test('those that are meant to be read so', async (t) => {
  for (const line of [
    '',
    'a.plumb list --json',
    '-e T call double {"n":1} -Rr',
    '--grant fs.read --grant net call read_file -',
    'list --seed 3',
  ])
    t.ok(readPlainly(line.split(' ').filter(Boolean)), line)
  for (const line of ['--help', '--version', '--seed x', '--seed', '--eval=x', '--unknown'])
    t.equal(readPlainly(line.split(' ')), undefined, line)
})
