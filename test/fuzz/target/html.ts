// Pages: whatever the bytes, they become text within the limits, and the same page the same text.

import { readdirSync, readFileSync } from 'node:fs'
import { decodeText } from '../../../packages/plumb-tool/src/source/builtin/web/decode-text.js'
import { toMarkdown } from '../../../packages/plumb-tool/src/source/builtin/web/html/to-markdown.js'
import { must, type Target } from '../target.js'

const DIRECTORY = 'packages/plumb-tool/test/fixtures/pages'
const pages = readdirSync(DIRECTORY)
  .filter((name) => name.endsWith('.html'))
  .map((name) => readFileSync(`${DIRECTORY}/${name}`))

const SMALL = `<!doctype html><html><head><title>T</title><base href="/b/"></head><body><main><h1>H <b>b</b></h1><p>a <a href="x?y=1">l</a> <code>c</code>
<ul><li>1<ol start=3><li>2</ol></ul><table><tr><th>a<th colspan=2>b<tr><td>1<td rowspan=2>2<td>3<tr><td>4</table><pre><code class="language-js">x &lt; y</code></pre>
<dl><dt>t<dd>d</dl><blockquote>q<br>r</blockquote><img src=i alt=j><svg><title>s</title></svg><math><mi>x</mi></math><details><summary>s</summary>d</details></main></body></html>`

export const html: Target = {
  name: 'html',
  seeds: [SMALL, ...pages],
  words: [
    ...[
      '<',
      '>',
      '</',
      '/>',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<!doctype',
      '&lt;',
      '&#x0;',
      '&#1114112;',
      '&nbsp',
      '<script>',
      '</script>',
      '<style>',
    ],
    ...[
      '<table>',
      '<tr>',
      '<td colspan=99999>',
      '<td rowspan=99999>',
      '<th>',
      '</table>',
      '<ul><li>',
      '<ol start=-5>',
      '<ol start=1e9>',
      '<pre>',
      '<code>',
      '<p>',
    ],
    ...[
      '<div>',
      '</div>',
      '<a href="',
      '<a href=javascript:x>',
      '<img src=',
      '<h1>',
      '<h9>',
      '<b>',
      '<i>',
      '<em>',
      '<template>',
      '<frameset>',
      '<frame src=x>',
      '<iframe src=y>',
    ],
    ...[
      '<svg>',
      '<math>',
      '<foreignObject>',
      '<select>',
      '<option>',
      '<form>',
      '<textarea>',
      '<plaintext>',
      '<noscript>',
      '<dl><dd>',
      '<details>',
      '<base href="',
      '<br>',
      '<hr>',
    ],
    ...[
      '**',
      '_',
      '`',
      '|',
      '# ',
      '- ',
      '~~~',
      '```',
      '[x](y)',
      'hidden',
      'style="display:none"',
      'class="sr-only"',
      '<meta charset=utf-16>',
      '<meta charset=shift_jis>',
    ],
  ],
  cases: 80,
  maxBytes: 12_000,
  judge: (input, random) => {
    const text = decodeText(
      input,
      random.pick(['text/html', 'text/html; charset=utf-8', 'text/html; charset=shift_jis', 'text/html; charset="x"', '']),
    )
    const url = random.pick(['https://example.org/a/b', 'https://example.org'])
    const markdown = toMarkdown({ html: text, url })
    must(typeof markdown === 'string', 'it is not text')
    must(markdown.length < 1_000_000 + 200 * input.length, `${input.length} bytes became ${markdown.length} characters`)
    if (random.oneIn(8)) must(toMarkdown({ html: text, url }) === markdown, 'the same page becomes another text')
  },
}
