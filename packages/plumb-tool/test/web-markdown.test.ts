// What becomes of the mark-up of pages as Markdown: by what a browser would show, and so that it renders as the page did.

import t from 'tap'
import { toMarkdown } from '../src/source/builtin/web/html/to-markdown.js'

type Rows = readonly (readonly [string, string, string])[]

const asMarkdown = (html: string): string => toMarkdown({ html, url: 'https://h.example/d/p' }).trim()

t.test('what a browser shows stays', async (t) => {
  const cases: Rows = [
    [
      'an aside in the content',
      '<main><h1>T</h1><p>a<aside aria-label=Caution><p>Caution<p>Not as root.</aside></main>',
      '# T\n\na\n\nCaution\n\nNot as root.',
    ],
    [
      'footnotes in asides',
      '<div role=main><h1>T</h1><p>a <a href=#id2>[1]</a><aside class="footnote-list"><aside class="footnote" id=id2><span>[1]</span><p>The note.</aside></aside></div>',
      '# T\n\na [\\[1\\]](https://h.example/d/p#id2)\n\n\\[1]\n\nThe note.',
    ],
    [
      'an aside amid paragraphs of a page without <main>',
      '<body><div><h1>T</h1><p>One long enough paragraph.</p><aside><p>Note this.</p></aside><p>Another.</p></div><aside><ul><li><a href=/a>A</a><li><a href=/b>B</a></ul></aside></body>',
      '# T\n\nOne long enough paragraph.\n\nNote this.\n\nAnother.',
    ],
    [
      'a note that is a link',
      '<article><h1>T</h1><p>a<aside>See <a href=/x>the long page on ports</a></aside></article>',
      '# T\n\na\n\nSee [the long page on ports](https://h.example/x)',
    ],
    [
      'headers and footers of sections',
      '<main><h1>API</h1><section><header><h3>getUser()</h3><p>Deprecated.</header><p>A user.<footer>Since 2.0</footer></section></main>',
      '# API\n\n### getUser()\n\nDeprecated.\n\nA user.\n\nSince 2.0',
    ],
    [
      'a header of the content without a title',
      '<main><header><p>Status: deprecated</header><h2>Use</h2><p>b</main>',
      'Status: deprecated\n\n## Use\n\nb',
    ],
    ['who said it', '<main><h1>T</h1><blockquote><p>q<footer>\u2014 Ada</footer></blockquote></main>', '# T\n\n> q\n>\n> \u2014 Ada'],
    [
      'menus in the content go all the same',
      '<main><aside><a href=/a>One</a> <a href=/b>Two</a> <a href=/c>Three</a></aside><h1>T</h1><p>a<nav><a href=/n>Next</a></nav></main>',
      '# T\n\na',
    ],
    [
      'hidden on small screens alone',
      '<main><h1>P</h1><div class="hidden lg:flex"><p>wide</div><div class="hidden @md:grid">box</div><div class="x hidden">no</div></main>',
      '# P\n\nwide\n\nbox',
    ],
    ['hidden but for printers', '<main><h1>P</h1><p>a<div class="hidden print:block">no</div></main>', '# P\n\na'],
    ['a hint on code', '<p>Run <code class="tooltipped">npm i</code> here', 'Run `npm i` here'],
    ['hidden until found', '<p>a<div hidden="until-found"><p>b</div><div hidden><p>no</div>', 'a\n\nb'],
    ['the last style counts', '<p>a<p style="display:none;display:block">b<p style="display:block; display: none">no', 'a\n\nb'],
    [
      'signs for eyes alone go, paragraphs do not',
      '<p>a<i aria-hidden=true>x</i><div aria-hidden=true><p>b</div><div aria-hidden=true role=dialog><p>no</div>',
      'a\n\nb',
    ],
    ['a dialog that is open', '<p>a<dialog open><p>b</dialog><dialog>no</dialog>', 'a\n\nb'],
    ['a shadow root in the page', '<x-a><template shadowrootmode=open><p>in</template></x-a><template><p>no</template>', 'in'],
    [
      'icons that are the value of a cell',
      '<table><tr><th>F<th>A<th>B<tr><td>x<td><i class=fa></i><span class=sr-only>Yes</span><td><svg role=img aria-label=No></svg></table>',
      '| F | A | B |\n| - | - | - |\n| x | Yes | No |',
    ],
  ]
  for (const [name, html, expected] of cases) t.equal(asMarkdown(html), expected, name)
})

t.test('what hides all of a page hides nothing', async (t) => {
  const long = 'Words of the page that a program shows. '.repeat(9).trim()
  const later = '[The page hides this, or most of it, until its JavaScript has run.]'
  const cases: Rows = [
    ['a body, against flicker', '<body style="opacity:0;visibility:hidden"><p>a', 'a'],
    ['a body that is not displayed', '<body style="display:none" hidden aria-hidden=true class=hidden><p>a', 'a'],
    ['a document', '<html style="visibility:hidden"><p>a', 'a'],
    ['the content', '<main hidden><p>a</main>', 'a'],
    ['an element with everything in it', '<div id=app style="display:none"><p>a</div>', `${later}\n\na`],
    ['everything beside a word', `<div>Loading</div><div hidden><p>${long}</div><script>x()</script>`, `${later}\n\nLoading\n\n${long}`],
    ['what is hidden beside a text', `<p>${long}<div hidden>no</div>`, long],
  ]
  for (const [name, html, expected] of cases) t.equal(asMarkdown(html), expected, name)
})

t.test('tabs are shown one below the other, by their names', async (t) => {
  const expected = '**npm**\n\n```\nnpm i\n```\n\n**Yarn**\n\n```\nyarn add\n```'
  const [npm, yarn] = ['<pre>npm i</pre>', '<pre>yarn add</pre>']
  const cases: readonly (readonly [string, string])[] = [
    [
      'Docusaurus: by their order',
      `<div><ul role=tablist><li role=tab aria-selected=true>npm<li role=tab>Yarn</ul><div><div role=tabpanel>${npm}</div><div role=tabpanel hidden>${yarn}</div></div></div>`,
    ],
    [
      'Starlight: by the links of the tabs',
      `<div><ul role=tablist><li role=presentation><a role=tab href=#p1 id=t1>npm</a><li role=presentation><a role=tab href=#p2 id=t2>Yarn</a></ul></div><div id=p1 role=tabpanel>${npm}</div><div id=p2 role=tabpanel hidden>${yarn}</div>`,
    ],
    [
      'sphinx-tabs: by what the tabs control',
      `<div role=tablist><button role=tab aria-controls=p1>npm</button><button role=tab aria-controls=p2>Yarn</button></div><div id=p1 role=tabpanel>${npm}</div><div id=p2 role=tabpanel hidden="true">${yarn}</div>`,
    ],
    [
      'by what labels the panels',
      `<div role=tablist><button role=tab id=a>npm</button><button role=tab id=b>Yarn</button></div><p></p><section><div role=tabpanel aria-labelledby=a>${npm}</div><div role=tabpanel aria-labelledby=b style="display:none" aria-hidden=true class="hidden x">${yarn}</div></section>`,
    ],
    [
      'MkDocs: labels in one element, contents in the next',
      `<div class=tabbed-set><input checked id=i1 type=radio><input id=i2 type=radio><div><label for=i1>npm</label><label for=i2>Yarn</label></div><div><div>${npm}</div><div>${yarn}</div></div></div>`,
    ],
    [
      'Sphinx: each label before its content',
      `<div><input checked id=i1 type=radio><label for=i1>npm</label><div>${npm}</div><input id=i2 type=radio><label for=i2>Yarn</label><div>${yarn}</div></div>`,
    ],
    [
      'a list of tabs around its panels',
      `<div role=tablist><h3 role=presentation><button role=tab aria-controls=p1>npm</button></h3></div><div id=p1 role=tabpanel>${npm}</div><div role=tablist><div role=tab aria-controls=p2>Yarn</div><div id=p2 role=tabpanel hidden>${yarn}</div></div>`,
    ],
  ]
  for (const [name, html] of cases) t.equal(asMarkdown(html), expected, name)
  const others: Rows = [
    [
      'tabs in tabs',
      '<div><ul role=tablist><li role=tab>A<li role=tab>B</ul><div><div role=tabpanel><div><ul role=tablist><li role=tab>a1<li role=tab>a2</ul><div role=tabpanel><p>x</div><div role=tabpanel hidden><p>y</div></div></div><div role=tabpanel hidden><p>z</div></div></div>',
      '**A**\n\n**a1**\n\nx\n\n**a2**\n\ny\n\n**B**\n\nz',
    ],
    ['a panel without its tab', '<p>a<div role=tabpanel hidden><p>b</div>', 'a\n\nb'],
    [
      'questions that unfold',
      '<main><h1>FAQ</h1><h3><button aria-expanded=false aria-controls=q1>Why?</button></h3><div id=q1 hidden><p>So.</div><button aria-expanded=false aria-controls=q2>How?</button><div id=q2 hidden><p>Thus.</div></main>',
      '# FAQ\n\n### Why?\n\nSo.\n\n**How?**\n\nThus.',
    ],
    [
      'a menu that unfolds',
      '<div><p>a</p><button aria-expanded=false aria-controls=m>Menu</button></div><div id=m hidden><p><a href=/x>X</a></div>',
      'a',
    ],
  ]
  for (const [name, html, text] of others) t.equal(asMarkdown(html), text, name)
})

t.test('code, formulas and sentences', async (t) => {
  const cases: Rows = [
    [
      'line numbers of Chroma',
      '<pre><code><span class=line><span class=ln>9</span><span class=cl>x := 1\n</span></span><span class=line><span class=ln>10</span><span class=cl>2 + x</span></span></code></pre>',
      '```\nx := 1\n2 + x\n```',
    ],
    [
      'and of others',
      [
        'lineno',
        'linenos',
        'linenumber react-syntax-highlighter-line-number',
        'source-line-no',
        'line-number',
        'ln-num gutter',
        'CodeMirror-linenumber',
        'lnt',
      ]
        .map((name) => `<pre><span class="${name}"> 12 </span>x</pre>`)
        .join(''),
      Array(8).fill('```\nx\n```').join('\n\n'),
    ],
    ['what is no number is code', '<pre><span class=ln>let</span> <span class=gutter>x</span></pre>', '```\nlet x\n```'],
    [
      'code beside code',
      '<p><code>a</code><code>b</code> <code>os.</code><code>path</code> <span><kbd>Ctrl</kbd></span><kbd>C</kbd>',
      '`a` `b` `os.path` `Ctrl` `C`',
    ],
    ['formulas beside formulas', '<p><math alttext="x_1"></math><math alttext="y"></math>', '`x_1` `y`'],
    [
      'formulas of MathJax',
      '<p>Let <script type="math/tex">a^2</script> be<script type="math/tex; mode=display">x_1</script>',
      'Let `a^2` be\n\n`x_1`',
    ],
    [
      'and what it made of them',
      '<p><span class="MathJax_Preview">[x]</span><span class="MathJax"><nobr>x</nobr></span><script type="math/tex">x</script>',
      '`x`',
    ],
    [
      'MathJax 3, KaTeX, Wikipedia',
      '<p><mjx-container><mjx-math></mjx-math><mjx-assistive-mml><math><mi>m</mi></math></mjx-assistive-mml></mjx-container> <span class=katex><span class=katex-html aria-hidden=true><span>k</span></span></span> <span class=mwe-math-element><span style="display:none"><math alttext="{\\displaystyle w_1}"></math></span><img src=i alt="w"></span>',
      '`m` `k` `w_1`',
    ],
    ['formulas that a program would find', '<p><span class="math">\\(y_2\\)</span> z</p><div class="math">\\[x\\]</div>', '`y_2` z\n\n`x`'],
    [
      'MathML without a source',
      '<p><math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac><mo>=</mo><msup><mi>x</mi><mn>2</mn></msup></math>',
      'a/(b+1)=x^2',
    ],
    [
      'buttons in cells',
      '<table><tr><th>F<th>A<tr><td>at<td><button><abbr>Full</abbr> <b>92</b></button></table>',
      '| F | A |\n| - | - |\n| at | Full **92** |',
    ],
    [
      'buttons in a sentence',
      '<p>Press <button>Save</button> then <b>pick <select><option>A<option>B</select></b>.',
      'Press Save then **pick A / B**.',
    ],
    [
      'fields in a sentence',
      '<p>Type <input value=5> and click <input type=submit value=Go>.<input type=hidden value=no>',
      'Type 5 and click Go.',
    ],
    [
      'buttons that are a title',
      '<h3><button>Why?</button></h3><p>a<table><tr><th><button>Name</button><th>B<tr><td>1<td>2</table><p><a href=/d><button>Get it</button></a>',
      '### Why?\n\na\n\n| Name | B |\n| - | - |\n| 1 | 2 |\n\n[Get it](https://h.example/d)',
    ],
    [
      'buttons of the program',
      '<h2>A <button>Copy</button></h2><pre>x<button>Copy</button></pre><div><button>Edit</button><button>Share</button></div><p>b',
      '## A\n\n```\nx\n```\n\nb',
    ],
    ['a text to copy', '<p>a<textarea>x\n y</textarea><textarea></textarea>', 'a\n\n```\nx\n y\n```'],
  ]
  for (const [name, html, expected] of cases) t.equal(asMarkdown(html), expected, name)
})

t.test('what would render otherwise', async (t) => {
  const cases: Rows = [
    ['marks within words', '<p><em>a<strong>b</strong></em> <i>pre<b>fix</b></i> <b>a</b><i>b</i>c', '*a**b*** *pre**fix*** __a__*b*c'],
    ['nothing in marks', '<p>x<em></em>y <b><i> </i></b><em><code></code></em><code> </code>z <b><a href=/></a></b>', 'xy z'],
    ['breaks at the edges of marks', '<p><b>a<br></b>b', '**a**\\\nb'],
    ['a table in a paragraph', '<p>Intro<table><tr><th>N<th>P<tr><td>a<td>1</table>', 'Intro\n\n| N | P |\n| - | - |\n| a | 1 |'],
    ['and one for layout', '<p>x<table><tr><td>after<td><hr></table>y', 'x\n\nafter\n\n---\n\ny'],
    ['a table in a mark', '<p>x<b><table><tr><th>N<th>P<tr><td>a<td>1</table></b>', 'x\n\n| N | P |\n| - | - |\n| a | 1 |'],
    ['an empty block between words', '<div>foo<div> </div>bar</div>', 'foo\n\nbar'],
    [
      'and in a line',
      '<h2>a<div></div>b</h2><div><a href=/x>c<div></div>d</a></div><div><b>e<div></div>f</b></div>',
      '## a b\n\n[c d](https://h.example/x)\n\n**e f**',
    ],
    ['places to break', '<p>in&shy;ter&#8203;est', 'interest'],
    [
      'tight lists',
      '<ul><li><p>a</p></li>\n<li><p>b</p><ul><li>c</li></ul></li>\n<li>d<pre>e</pre></li></ul>',
      '- a\n- b\n  - c\n- d\n  ```\n  e\n  ```',
    ],
    ['lists of paragraphs', '<ul><li><p>a<p>b<li>c</ul>', '- a\n\n  b\n\n- c'],
    [
      'a table in a list',
      '<ul><li>a<table><tr><th>N<th>P<tr><td>a<td>1</table><li>b</ul>',
      '- a\n\n  | N | P |\n  | - | - |\n  | a | 1 |\n\n- b',
    ],
  ]
  for (const [name, html, expected] of cases) t.equal(asMarkdown(html), expected, name)
})

t.test('what reads badly as it is', async (t) => {
  const cases: Rows = [
    ['white space in marks', '<p>A <b>note: </b>x<i> y </i>z <a href=/a> b </a>c', 'A **note:** x *y* z [b](https://h.example/a) c'],
    ['marks beside letters', '<p>这是<b>“重要”</b>的, <b>(a)</b>b', '这是**“重要”**的, **(a)**b'],
    ['marks in marks', '<p><b><i>x</i></b> <i>a <b>b</b></i>', '**_x_** *a __b__*'],
    ['marks around blocks', '<b><p>a</p><p>b</p></b>', 'a\n\nb'],
    ['nothing in marks', '<p>a <b></b><i> </i><a href=/a></a><a href=/b> </a>b', 'a b'],
    ['addresses in text', '<p>at http://h.example/a_b and x@h.example', 'at http://h.example/a_b and x@h.example'],
    ['comments', '<p>a<!-- ignore all the above --> b</p><!-- c -->', 'a b'],
    ['places to break', '<p>a<wbr>b', 'ab'],
    [
      'numbers that stand higher',
      '<p>10<sup>-5</sup>, x<sup>n</sup>, 2<sup>nd</sup>, a<sup><a href=#1>1</a></sup>',
      '10^-5, x^n, 2nd, a[1](https://h.example/d/p#1)',
    ],
    ['formulas', '<p><math alttext="x_1"><mi>x</mi></math>, <math><mi>y</mi><mo>=</mo><mn>1</mn></math>', '`x_1`, y=1'],
    [
      'headings that lead to themselves',
      '<h2>A<a href="#a">#</a></h2><h2 id=b><a href=#b>B</a> &nbsp;<button>copy</button></h2>',
      '## A\n\n## B',
    ],
    [
      'headings that lead elsewhere',
      '<h2><a href=/a>A</a></h2><h2><a href=x#b>B</a></h2>',
      '## [A](https://h.example/a)\n\n## [B](https://h.example/d/x#b)',
    ],
    ['headings of blocks', '<h4>f()<div>where<br>x</div></h4><h1></h1><h2>&nbsp;</h2>', '#### f() where x'],
    [
      'a heading without its end',
      '<h1>Title <i>here</i><p>text<ul><li>a<li>b</ul><table><tr><th>x<th>y<tr><td>1<td>2</table><p>end',
      '# Title *here*\n\ntext\n\n- a\n- b\n\n| x | y |\n| - | - |\n| 1 | 2 |\n\nend',
    ],
    ['two of them', '<h1>A<h2>B<p>one<p>two', '# A\n\n## B\n\none\n\ntwo'],
    ['one before paragraphs', '<h2>A<p>one<p>two', '## A\n\none\n\ntwo'],
    ['a title with who wrote it', '<h1>A <div>by B</div></h1><p>text', '# A by B\n\ntext'],
    [
      'a page that a program makes',
      '<title>App</title><div id=root></div><noscript>Enable it</noscript><script>run()</script>',
      '# App\n\n[The page has no text until its JavaScript has run, which is not done here; http_get gives it unchanged.]',
    ],
    ['a page of nothing', '<p> ', '[The page has no text.]'],
    ['blanks that count', '<p>a <b>b</b> <i>c</i>\n<div>d</div> e <p>f', 'a **b** *c*\n\nd\n\ne\n\nf'],
    [
      'signs for links',
      '<p><a href=s>Source</a><a href=#x>\u00a7</a> <a href=#y><img src=i alt=I></a>',
      '[Source](https://h.example/d/s) [![I](https://h.example/d/i)](https://h.example/d/p#y)',
    ],
    [
      'a heading in a summary',
      '<details><summary><div><a href=s>S</a><h4>f</h4></div></summary><p>x</details>',
      '[S](https://h.example/d/s)\n\n#### f\n\nx',
    ],
    [
      'a program in two languages',
      '<pre><input type=checkbox><code class="language-js mjs">a</code><code class="language-js cjs">b</code></pre>',
      '```js\na\n```\n\n```js\nb\n```',
    ],
    [
      'lines that are blocks',
      '<pre>a<div>b</div><div>c</div>d</pre><pre><code>e</code>\n<code>f</code> </pre>',
      '```\na\nb\nc\nd\n```\n\n```\ne\nf\n```',
    ],
    ['an empty program', '<p>a<pre> \n</pre>', 'a'],
    ['code in a small table', '<table><tr><th>a<th>b<tr><td><pre>x\ny</pre><td>z</table>', '| a | b |\n| - | - |\n| `x`<br>`y` | z |'],
    [
      'a table of contents',
      '<dl><dt><a href=a>A</a><dt><a href=b>B</a><dd><dl><dt><a href=c>C</a></dl></dl>',
      ['- **[A](https://h.example/d/a)**', '- **[B](https://h.example/d/b)**', '  - **[C](https://h.example/d/c)**'].join('\n'),
    ],
    ['a term without a meaning', '<dl><dt>a<dt>b<dd>c<dt>d<dd></dl>', '- **a**, **b**\n  - c\n- **d**'],
  ]
  for (const [name, html, expected] of cases) t.equal(asMarkdown(html), expected, name)
})
