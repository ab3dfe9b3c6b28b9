// The two ways to read a command line: plainly, and by commander, which is loaded only if the first fails.

import { parsePlainArguments } from '@plumb/wire'
import fc from 'fast-check'
import t from 'tap'
import { runs } from '../../wire/test/property.js'
import { AGENT_OPTIONS, readAgentArguments, readFully } from '../src/main-flags.js'

const NAMES = AGENT_OPTIONS.flatMap(({ flags }) => flags.split(/[ ,]+/).filter((word) => word.startsWith('-')))
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
      const read = parsePlainArguments(AGENT_OPTIONS, argv, 1)
      if (read) plain++
      return read === undefined || t.strictSame(readFully('plumb-agent', argv), { ok: true, value: read }, argv.join(' '))
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
    lines.map((argv) => parsePlainArguments(AGENT_OPTIONS, argv, 1)?.values),
    [
      { parallelToolCalls: true, envelopes: true },
      { parallelToolCalls: true, envelopes: true, rawInput: true, rawOutput: true },
      { parallelToolCalls: true, envelopes: true, rawInput: true, rawOutput: true, agent: 'critic', telemetry: true },
      { parallelToolCalls: true, envelopes: false, eval: '--not an option', grant: ['fs.read', 'net'], maxLine: 5 },
      { parallelToolCalls: true, envelopes: true },
    ],
  )
  t.strictSame(readAgentArguments('plumb-agent', ['--version']), readAgentArguments('plumb-agent', ['-V']))
})
