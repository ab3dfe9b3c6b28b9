// Command lines that are parsed without commander give the same options as with it.

import { parseFully, parsePlainly, rowsOf } from '@plumb/wire'
import { Command } from 'commander'
import fc from 'fast-check'
import t from 'tap'
import { MUX_FORM } from '../src/options.js'

const readPlainly = (argv: readonly string[]) => parsePlainly({ ...MUX_FORM, rows: rowsOf(MUX_FORM.groups) }, argv)

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
      const options = readPlainly(argv)
      if (options) plain++
      if (options) t.strictSame(parseFully(MUX_FORM, argv, Command), { ok: true, value: options }, JSON.stringify(argv))
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
    ['--fds', 'none', 'cat'],
    ['--unwrap', '--', 'cat', '--fds'],
    ['--tell-unreadable', '--', 'cat'],
    [],
  ]
  for (const argv of lines) t.ok(readPlainly(argv), argv.join(' '))
  for (const argv of [['--fds'], ['-h'], ['--max-line', 'many', 'cat']]) t.notOk(readPlainly(argv), argv.join(' '))
})
