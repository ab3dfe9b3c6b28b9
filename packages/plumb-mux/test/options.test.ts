// Command lines that are read without commander are read as commander reads them.

import fc from 'fast-check'
import t from 'tap'
import { readArguments } from '../src/main-flags.js'
import { plainOptions } from '../src/plain-options.js'

t.test('a command line that is taken for a plain one comes to the same', async (t) => {
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
      const options = plainOptions(argv)
      if (options) plain++
      if (options) t.strictSame(readArguments('plumb-mux', argv), { ok: true, value: options }, JSON.stringify(argv))
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
  for (const argv of lines) t.ok(plainOptions(argv), argv.join(' '))
  for (const argv of [[], ['--'], ['--fds', 'none', 'cat'], ['-h'], ['--unwrap', '--', 'cat']]) t.notOk(plainOptions(argv), argv.join(' '))
})
