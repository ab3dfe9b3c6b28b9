// A plain command line is read without commander: what is read is what commander reads.

import fc from 'fast-check'
import t from 'tap'
import { readPlainWords, readToolArgumentsFully, TOOL_OPTIONS } from '../src/cli/flags.js'

const spellings = TOOL_OPTIONS.flatMap(({ flags }) => flags.match(/--?[a-z-]+/gi) ?? [])
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
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 6 }), async (argv) => {
      const plain = readPlainWords(argv)
      if (!plain) return
      plainly++
      t.strictSame(plain, await readToolArgumentsFully('plumb-tool', argv), argv.join(' '))
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
    t.ok(readPlainWords(line.split(' ').filter(Boolean)), line)
  for (const line of ['--help', '--version', '--seed x', '--seed', '--eval=x', '--unknown'])
    t.equal(readPlainWords(line.split(' ')), undefined, line)
})
