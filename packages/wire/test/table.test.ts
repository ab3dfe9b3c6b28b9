// Tables for people, and how wide texts are.

import { PassThrough } from 'node:stream'
import t from 'tap'
import { Reporter } from '../src/cli/reporter.js'
import { fault } from '../src/error.js'
import { type Styled, styledText } from '../src/terminal/style.js'
import { wrappedTable } from '../src/terminal/table.js'
import { breakable, padWidth, textWidth, wrapWords } from '../src/terminal/width.js'
import { wrapStyled } from '../src/terminal/wrap.js'

t.test('how wide a text is', async (t) => {
  const table: readonly (readonly [text: string, width: number])[] = [
    ['abc', 3],
    ['Привет', 6],
    ['日本語', 6],
    ['e\u0301', 1],
    ['👩‍💻', 2],
    ['한국어', 6],
    ['⚠️', 2],
    ['', 0],
  ]
  for (const [text, width] of table) t.equal(textWidth(text), width, text)
  t.equal(padWidth('日', 4), '日  ')
  t.strictSame(breakable('a b  日本'), ['a', ' ', 'b', '  ', '日', '本'])
})

t.test('words over several lines', async (t) => {
  const table: readonly (readonly [text: string, width: number, lines: readonly string[]])[] = [
    ['one two three', 7, ['one two', 'three']],
    ['onetwothree', 4, ['onet', 'woth', 'ree']],
    ['日本語', 3, ['日', '本', '語']],
    ['日', 1, ['日']],
    ['', 5, ['']],
    ['a verylongword b', 6, ['a', 'verylo', 'ngword', 'b']],
  ]
  for (const [text, width, lines] of table) t.strictSame(wrapWords(text, width), lines, text)
})

t.test('a table holds its width, and nothing is cut', async (t) => {
  const rows = [
    ['id', 'tool', 'arguments', 'note'],
    ['1', 'refund', '{"order":17,"why":"it came broken, twice"}', ''],
    ['22', 'send\u202e', 'x', ''],
  ]
  t.strictSame(wrappedTable(rows, { width: 40, numbers: ['id'] }), [
    'id  tool        arguments',
    ' 1  refund      {"order":17,"why":"it',
    '                came broken, twice"}',
    '22  send\\u202e  x',
  ])
  t.strictSame(
    wrappedTable(
      [
        ['id', 'what it is'],
        ['1', 'a'],
      ],
      { width: 8, isStyled: true },
    ),
    ['\x1b[1mid  what\x1b[0m', '\x1b[1m    it\x1b[0m', '\x1b[1m    is\x1b[0m', '1   a'],
    'titles are bold, on all their lines',
  )
  for (const width of [5, 12, 20, 33, 80]) {
    const lines = wrappedTable(rows, { width })
    t.ok(width < 12 || lines.every((line) => textWidth(line) <= width), `${width}`)
    t.equal(
      lines.join('').replace(/\s/g, '').length,
      rows.flat().slice(0, 3).join('').length + 'refund1{"order":17,"why":"itcamebroken,twice"}22send\\u202ex'.length,
      `all is there in ${width}`,
    )
  }
})

t.test('styled text over several lines, in which no word is torn', async (t) => {
  const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz'
  const table: readonly (readonly [text: string | Styled, width: number, indent: number, shown: string])[] = [
    ['one two three', 7, 2, 'one two\n  three'],
    [['plumb: ', ['error', 'error:'], ' one two'], 14, 2, 'plumb: error:\n  one two'],
    ['  a step that goes on', 12, 4, '  a step\n    that\n    goes on'],
    ['see /a/path/that/is/longer b c', 8, 2, 'see\n  /a/path/that/is/longer b c'],
    ['日本 語', 4, 2, '日本\n  語'],
    ['two  spaces ', 20, 2, 'two  spaces '],
    ['a\x1bb c', 9, 2, 'a\\u001bb\n  c'],
    [`${key} b`, 12, 2, styledText(`${key} b`, false)],
    ['', 5, 2, ''],
  ]
  for (const [text, width, indent, shown] of table) t.equal(styledText(wrapStyled(text, width, indent), false), shown, String(text))
  t.equal(styledText(wrapStyled([['dim', 'a b']], 1, 0), true), '\x1b[2ma\nb\x1b[0m')
})

t.test('errors on a terminal are wrapped between words, and elsewhere on one line', async (t) => {
  const told = async (terminal: object, env: Readonly<Record<string, string>> = {}): Promise<string> => {
    const stream = Object.assign(new PassThrough(), terminal)
    const before = { ...process.env }
    Object.assign(process.env, { TERM: 'xterm', NO_COLOR: '', PLUMB_ERRORS: 'text', ...env })
    const reporter = new Reporter('plumb', () => stream)
    reporter.report(fault('usage', 'one two three four'))
    reporter.warn(fault('usage', 'one two three four'))
    reporter.write('a line of another program that is longer')
    await reporter.end()
    for (const name of Object.keys(process.env)) delete process.env[name]
    Object.assign(process.env, before)
    return String(stream.read())
  }
  const long = 'a line of another program that is longer\n'
  const wrapped = `plumb: error: one two\n  three four (usage)\nplumb: warning: one\n  two three four\n  (usage)\n${long}`
  const whole = `plumb: error: one two three four (usage)\nplumb: warning: one two three four (usage)\n${long}`
  const plain = (text: string): string => text.replaceAll('\x1b', '␛').replaceAll(/␛\[[\d;]*m/g, '')
  t.equal(plain(await told({ isTTY: true, columns: 22 })), wrapped)
  t.equal(await told({ isTTY: true, columns: 22 }, { NO_COLOR: '1' }), wrapped, 'NO_COLOR turns colours off, and nothing else')
  t.equal(await told({ isTTY: true, columns: 22 }, { TERM: 'dumb' }), whole)
  t.equal(plain(await told({ isTTY: true, columns: 0 })), whole, 'a terminal that does not know its width')
  t.equal(await told({ columns: 21 }), whole)
})
