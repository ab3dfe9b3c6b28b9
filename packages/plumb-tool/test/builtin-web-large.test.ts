// long
// webpage_to_markdown on pages of megabytes, deep or odd ones: they become text, and in time. Fault 100.

import t from 'tap'
import { scaled } from '../../wire/test/patience.js'
import { contextOf, error, markdown, PRIVATE, sends, serveEach } from './web-pages.js'

t.test('fault 100: what is too much or too deep', async (t) => {
  const prose = 'Ships, boats and all that floats, or so it is said. '.repeat(9)
  const parts = Array.from({ length: 300 }, (_, i) => ({
    html: `<h2 id=s${i}><a href=#s${i}>Part ${i}</a></h2><p>${prose}<ol><li>one<li><b>two</b></ol><table><tr><th>A<th>B<tr><td>${i}<td></table><pre>x\n  y</pre><p><a href=/p${i}>on</a>`,
    markdown: `## Part ${i}\n\n${prose.trim()}\n\n1. one\n2. **two**\n\n| A | B |\n| - | - |\n| ${i} | |\n\n\`\`\`\nx\n  y\n\`\`\`\n\n[on](ORIGIN/p${i})`,
  }))
  const origin: string = await serveEach({
    '/deep': sends(`${'<div>'.repeat(100_000)}deep`),
    '/bold': sends(`${'<b>'.repeat(100_000)}bold`),
    '/spans': sends('<table><tr><th>a<th>b<tr><td colspan=1000000000 rowspan=1000000000>x</table>'),
    '/spaces': sends(`<p class="${' a'.repeat(100_000)}">x${' '.repeat(1_000_000)}y${'<'.repeat(100_000)}`),
    '/rows': sends(`<table><tr><th>a<th>b</tr>${'<tr><td>cell one</td><td><b>two</b></td></tr>\n'.repeat(30_000)}</table>`),
    '/brackets': sends(`<p>${'[*_`'.repeat(50_000)}`),
    '/plain': sends(Array.from({ length: 35_000 }, (_, i) => `<p>${prose.slice(0, 120)}${i}</p>\n`).join('')),
    '/huge': sends(`<title>Huge</title><ul><li><a href=/menu>Menu</a></ul><div>${parts.map(({ html }) => html).join('')}</div>`),
  })
  t.match(await markdown(`${origin}/deep`), /deep/)
  t.match(await markdown(`${origin}/bold`), /bold/)
  t.match(await markdown(`${origin}/spans`), /\| x \|/)
  t.match(await markdown(`${origin}/spaces`), /x y/)
  t.match(await markdown(`${origin}/brackets`), /\\\[\\\*\\_/)
  const rows = await markdown(`${origin}/rows`)
  t.match(rows, /\| cell one \| \*\*two\*\* \|\n/)
  t.match(
    rows,
    /\[The page goes on: the first [0-9,]+ of its 1,[0-9,]+ characters are here; http_get gives it unchanged\.\]/,
    'a page is cut',
  )
  const plain = await markdown(`${origin}/plain`)
  t.strictSame([plain.split('\n\n').length, plain.endsWith('34999')], [35_000, true], '5 MB of paragraphs')
  // The conversion itself takes longer.
  await t.test('an abort ends the thread', { timeout: scaled(5000) }, async (t) => {
    const aborted = await error(`${origin}/huge`, contextOf(PRIVATE, {}, AbortSignal.timeout(250)))
    t.match(aborted, { error: 'cancelled' })
  })
  const huge = ['# Huge', ...parts.map((part) => part.markdown.replace('ORIGIN', origin))].join('\n\n')
  t.ok((await markdown(`${origin}/huge`)) === huge, 'every part of it')
})
