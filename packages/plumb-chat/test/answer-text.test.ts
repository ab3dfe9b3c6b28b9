// Answers as they are laid out for a terminal: Markdown, and lines that end between words, whatever the pieces they come in.

import t from 'tap'
import { greeting } from '../src/greeting.js'
import { openAnswerText } from '../src/terminal/answer-text.js'
import { plainText, readInline } from '../src/terminal/inline.js'

const shown = (text: string, { columns = 40, isStyled = true, size = text.length } = {}): string => {
  const flow = openAnswerText({ columns: () => columns, isStyled })
  let out = ''
  for (let at = 0; at < text.length; at += Math.max(1, size)) out += flow.push(text.slice(at, at + Math.max(1, size)))
  return out + flow.end()
}

const STYLED = new RegExp(String.raw`${'\x1b'}\[([\d;]+)m(.*?)${'\x1b'}\[0m`, 'gs')

/** Styles as letters: b bold, i italic, c code, u link, d dim. */
const named = (text: string): string =>
  text.replace(STYLED, (_, codes: string, words: string) => {
    const letters: Readonly<Record<string, string>> = { '1': 'b', '3': 'i', '36': 'c', '4': 'u', '2': 'd' }
    return `<${codes
      .split(';')
      .map((code) => letters[code] ?? code)
      .join('')} ${words}>`
  })

t.test('what Markdown marks within a line', async (t) => {
  const table: readonly (readonly [text: string, wanted: string])[] = [
    ['a **b c** d', 'a <b b> <b c> d'],
    ['*a* and _b_', '<i a> and <i b>'],
    ['***both***', '<bi both>'],
    ['**a *b* c**', '<b a> <bi b> <b c>'],
    ['`a * b`, **`x`**', '<c a> <c *> <c b>, <bc x>'],
    ['``a ` b``', '<c a> <c `> <c b>'],
    ['snake_case_name and 2 * 3 * 4', 'snake_case_name and 2 * 3 * 4'],
    ['not **closed', 'not **closed'],
    ['a `b', 'a `b'],
    ['\\*not\\* so, C:\\dir', '*not* so, C:\\dir'],
    ['[page](https://a.test/x), [1], a[0]', '<u page> <d (https://a.test/x)>, [1], a[0]'],
    ['[https://a.test](https://a.test)', '<u https://a.test>'],
    ['\\u001b[2J', '\\u001b[2J'],
  ]
  for (const [text, wanted] of table)
    for (const size of [1, 2, 7, text.length]) t.equal(named(shown(text, { columns: 99, size })), wanted, `${text}, ${size} at once`)
  t.equal(plainText('**a** `b` [c](d)'), 'a b c (d)')
  t.strictSame(readInline('a **b', false), { spans: [{ text: 'a ', marks: [] }], rest: '**b' })
  const flood = '*a '.repeat(5000)
  t.equal(shown(flood, { columns: 1e6, size: 100 }), flood.trimEnd(), 'marks that nothing closes')
})

t.test('what the beginning of a line says', async (t) => {
  const table: readonly (readonly [text: string, wanted: string])[] = [
    ['# A title\ntext', '<b A> <b title>\ntext'],
    ['- one\n* two\n  + three\n1. four', '• one\n• two\n  • three\n1. four'],
    ['> said', '<d │ >said'],
    ['---\nx', `<d ${'─'.repeat(24)}>\nx`],
    ['#hash -dash 5.2', '#hash -dash 5.2'],
    ['```ts\nlet **a** = 1\n\n```\nend', '<d ```ts>\n<c let **a** = 1>\n\n<d ```>\nend'],
    ['~~~\n```\n~~~', '<d ~~~>\n<c ```>\n<d ~~~>'],
    ['| a | **b** |\n|---|:-:|\n| 1 | `x \\| y` |\nend', '<b a  b>\n1  x | y\nend'],
    ['| no table', '| no table'],
    ['a\n\n\nb\n', 'a\n\n\nb\n'],
  ]
  for (const [text, wanted] of table)
    for (const size of [1, 3, text.length]) t.equal(named(shown(text, { size })), wanted, `${JSON.stringify(text)}, ${size} at once`)
})

t.test('lines end between words', async (t) => {
  const table: readonly (readonly [text: string, columns: number, wanted: string])[] = [
    ['one two three four', 9, 'one two\nthree\nfour'],
    ['one **two three** four', 9, 'one <b two>\n<b three>\nfour'],
    ['- one two three', 9, '• one two\n  three'],
    ['12. one two three', 11, '12. one two\n    three'],
    ['> one two three', 9, '<d │ >one two\n│ three'],
    ['# one two three', 9, '<b one> <b two>\n<b three>'],
    ['123456789 one', 9, '123456789\none'],
    ['1234567890123 one', 9, '1234567890123 one'],
    ['日本語日本語', 9, '日本語日\n本語'],
    ['a (**b**), c', 7, 'a (<b b>),\nc'],
  ]
  for (const [text, columns, wanted] of table)
    for (const size of [1, 4, text.length]) t.equal(named(shown(text, { columns, size })), wanted, `${text}, ${size} at once`)
  t.equal(shown('# *a* | b\n- c **d**\n```\ne', { isStyled: false }), '# *a* | b\n- c **d**\n```\ne', 'without styles it stays as it is')
})

t.test('a word is shown when it is complete, and all at the end', async (t) => {
  const flow = openAnswerText({ columns: () => 40, isStyled: true })
  flow.begin(10)
  t.equal(flow.push('one tw'), 'one')
  t.equal(flow.push('o, **thr'), ' two,')
  t.equal(flow.push('ee** '), ' \x1b[1mthree\x1b[0m')
  t.equal(flow.push('a word too long'), ' a word too')
  t.equal(flow.end(), ' long')
  t.equal(flow.push('|a|\n'), '')
  t.equal(flow.end(), 'a')
})

t.test('whom one talks to', async (t) => {
  const program = { binding: 'desk', agents: ['a'], models: ['claude-sonnet-4-5'], tools: ['refund'], servers: [], maxCost: 0.5 }
  const lines = (more: object, options: object = {}) =>
    greeting({ ...program, ...more } as never, { spec: { kind: 'file', path: 'x' }, program: {}, ...options } as never)
  const rest = '/help lists the commands, Ctrl-D leaves'
  t.strictSame(lines({}), [`talking to 'desk': claude-sonnet-4-5; tool refund; at most $0.5`, rest])
  t.strictSame(lines({ models: [], tools: [], maxCost: undefined }), [`talking to 'desk'; ${rest}`])
  t.strictSame(lines({ servers: ['files', 'web'], maxCost: undefined }, { program: { model: 'other' } }), [
    `talking to 'desk': other; tool refund; MCP servers files, web`,
    rest,
  ])
  const many = Array.from({ length: 12 }, (_, i) => `a_tool_with_a_name_${i}`)
  t.match(lines({ tools: many }).join('\n'), /a_tool_with_a_name_7 and 4 more/)
  for (const line of lines({ tools: many })) t.ok(line.length <= 80, line)
})
