// Command lines that are parsed without commander give the same options as with it.

import fc from 'fast-check'
import t from 'tap'
import { readMuxArguments } from '../src/main-flags.js'
import { parseMuxArguments } from '../src/options.js'

t.test('a command line that is parsed as a plain one gives the same options', async (t) => {
  const word = fc.oneof(
    fc.constantFrom(
      '--',
      '-',
      '',
      '--unwrap',
      '--fds',
      '--fds=3',
      '--tee',
      '--replay',
      '--max-line',
      '--version',
      '-h',
      '--none',
      'help',
      'cat',
      '-x',
    ),
    fc.string(),
  )
  let plain = 0
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
      const options = parseMuxArguments(argv)
      if (options) plain++
      if (options) t.strictSame(readMuxArguments('plumb-mux', argv), { ok: true, value: options }, JSON.stringify(argv))
    }),
    { numRuns: 2000 },
  )
  t.ok(plain > 100, `${plain} were`)
  const lines = [
    ['--', 'cat'],
    ['cat', '-n'],
    ['--', '--fds'],
    ['cat', '--', 'x'],
    ['--', '--', 'x'],
  ]
  for (const argv of lines) t.ok(parseMuxArguments(argv), argv.join(' '))
  for (const argv of [[], ['--'], ['--fds', 'none', 'cat'], ['-h'], ['--unwrap', '--', 'cat']])
    t.notOk(parseMuxArguments(argv), argv.join(' '))
})
