// The two ways to read a command line: plainly, and by commander, which is loaded only if the first fails.

import { parseFully, parsePlainly, rowsOf } from '@plumb/wire'
import { Command } from 'commander'
import fc from 'fast-check'
import t from 'tap'
import { runs } from '../../wire/test/property.js'
import { AGENT_FORM, readAgentArguments } from '../src/main-flags.js'

const ROWS = rowsOf(AGENT_FORM.groups)
const readPlainly = (argv: readonly string[]) => parsePlainly({ rows: ROWS, maxOperands: 1 }, argv)

const NAMES = ROWS.flatMap(({ flags }) => flags.split(/[ ,]+/).filter((word) => word.startsWith('-')))
const ODD = [
  '--',
  '-',
  '',
  '--modle',
  '--model=x',
  '-Rr',
  '-rRe',
  '-ex',
  '-R-',
  '-RV',
  '--no-model',
  '--envelopes',
  '-5',
  '--help',
  '-V',
  '--version',
]
const word = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 3, arbitrary: fc.constantFrom('bot.plumb', '1', '0', 'x y', '--fds', '3,4', 'a=b') },
  fc.constantFrom(...ODD),
)

t.test('what is read plainly commander reads alike', async (t) => {
  let plain = 0
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), (argv) => {
      const read = readPlainly(argv)
      if (read) plain++
      return read === undefined || t.strictSame(parseFully(AGENT_FORM, argv, Command), { ok: true, value: read }, argv.join(' '))
    }),
    { numRuns: runs(2000) },
  )
  t.ok(plain > 100, 'and much is plain')
})

t.test('what people write is read plainly', async (t) => {
  const lines = [
    ['bot.plumb'],
    ['-Rr', 'bot.plumb'],
    ['-R', '-r', '--agent', 'critic', '--telemetry', 'a.plumb'],
    ['-e', '--not an option', '--grant', 'fs.read', '--grant', 'net', '--max-line', '5', '--no-envelopes'],
    ['--', '--odd.plumb'],
  ]
  t.strictSame(
    lines.map((argv) => readPlainly(argv)?.parsed),
    [
      { parallelToolCalls: true, envelopes: true },
      { parallelToolCalls: true, envelopes: true, rawInput: true, rawOutput: true },
      { parallelToolCalls: true, envelopes: true, rawInput: true, rawOutput: true, agent: 'critic', telemetry: true },
      { parallelToolCalls: true, envelopes: false, eval: '--not an option', grant: ['fs.read', 'net'], maxLine: 5 },
      { parallelToolCalls: true, envelopes: true },
    ],
  )
  t.strictSame(await readAgentArguments(['--version']), await readAgentArguments(['-V']))
})
