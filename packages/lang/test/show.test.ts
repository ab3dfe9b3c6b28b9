// Diagnostics as a terminal shows them.

import { type Styled, styledText, textWidth } from '@plumb/wire/terminal'
import t from 'tap'
import { compile } from '../src/compile.js'
import { showDiagnostics } from '../src/diagnostic/show.js'

const files = { read: () => ({ ok: false as const, error: { error: 'file_not_found', category: 'config', detail: '' } as never }) }

/** Takes the place of the control character. */
const ESCAPE = '␛'

const show = (text: string, options: { readonly isStyled: boolean; readonly columns: number }, isJson = false): readonly string[] => {
  const written: (string | Styled)[] = []
  const { diagnostics } = compile({ path: 'a.plumb', text, files: files as never })
  showDiagnostics(diagnostics, { ...options, write: (line) => written.push(line) }, isJson)
  return written.map((line) => styledText(line, options.isStyled).replaceAll('\x1b', ESCAPE))
}

const TWO = `let a : !int -> !int = map("${'x'.repeat(100)}" * 2) ; id\nlet main : !string -> !strng = id\n`

t.test('a terminal shows colour, a blank line between two, what fits around the caret, and counts at the end', async (t) => {
  const lines = show(TWO, { isStyled: true, columns: 40 })
  t.match(lines[0], /^␛\[2ma\.plumb:1:28:␛\[0m ␛\[1;31merror:␛\[0m '\*' needs a number/)
  t.equal(lines[1], '')
  t.match(lines[2], /␛\[36mhelp:␛\[0m did you mean 'string'\?$/)
  t.equal(lines.at(-1), '2 errors; plumb explain type_mismatch')
  const plain = lines
    .join('\n')
    .replace(/␛\[[\d;]*m/g, '')
    .split('\n')
  for (const line of plain) t.ok(line.length <= 40 || line.includes('x'.repeat(100)), line)
  t.strictSame(plain.slice(0, 2), ["a.plumb:1:28: error: '*' needs a number,", '    but this is'], 'broken between words')
  const [source = '', carets = ''] = plain.slice(3)
  t.equal(source[carets.indexOf('^')], '"', 'the caret is below the beginning of the span')
})

t.test('carets are below their span in a line of wide characters too', async (t) => {
  const text = `let main : !string -> !string = map("日本語 👩 ${'。'.repeat(30)}" + "語é" * 2 + "${'日'.repeat(50)}")\n`
  for (const columns of [40, 80, 300]) {
    const lines =
      show(text, { isStyled: true, columns })[0]
        ?.replace(/␛\[[\d;]*m/g, '')
        .split('\n') ?? []
    const at = lines.findIndex((line) => /^ *\^+$/.test(line))
    const [source = '', carets = ''] = lines.slice(at - 1)
    t.equal(textWidth(source.slice(0, source.indexOf('"語'))), carets.indexOf('^'), `${columns}: ${lines.join('|')}`)
    t.equal(carets.trim().length, textWidth('"語é"'))
    t.ok(textWidth(source) <= columns, source)
  }
})

t.test('anything else has the lines alone', async (t) => {
  const lines = show(TWO, { isStyled: false, columns: 40 })
  t.equal(lines.length, 2)
  t.notMatch(lines.join('\n'), ESCAPE)
  t.match(lines[1], /^a\.plumb:2:24: error: no type is named 'strng'\n {2}let main/)
  t.match(JSON.parse(show(TWO, { isStyled: true, columns: 40 }, true)[1] ?? ''), { file: 'a.plumb', line: 2, code: 'unknown_type' })
  t.strictSame(show('let main : !string -> !string = id\n', { isStyled: true, columns: 40 }), [])
})

t.test('text of strangers gives a terminal nothing to obey', async (t) => {
  const styled: Styled = [['error', 'a\x1b[31mb'], ' \u202e']
  t.equal(styledText(styled, true), '\x1b[1;31ma\\u001b[31mb\x1b[0m \\u202e')
  t.equal(styledText(styled, false), 'a\\u001b[31mb \\u202e')
})

t.test('a key that was written into a spec is not shown', async (t) => {
  const spec = 'let main : !string -> !string = agent { provider: "eliza", apiKey: "sk-123456789", max_tokens: 5, modl: "x" }\n'
  const shown = show(spec, { isStyled: false, columns: 200 }).join('\n')
  t.notMatch(shown, 'sk-123')
  t.match(shown, 'apiKey: "************", max_tokens: 5')
})
