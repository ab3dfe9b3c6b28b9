// Tables for people, and how wide texts are.

import t from 'tap'
import { wrappedTable } from '../src/terminal/table.js'
import { breakable, padWidth, textWidth, wrapWords } from '../src/terminal/width.js'

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
