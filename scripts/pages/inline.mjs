// A line of mdoc as spans: { kind, text, space }, where `space` says whether white space is before it.
//
// Kinds: text, code (what is typed or printed), em (what stands for something), strong, section (the name of a section),
// page (a page as NAME(N)), link (text with an address).

const CODE = ['Li', 'Ql', 'Ic', 'Cm', 'Pa', 'Ev', 'Dv', 'Fl', 'Nm']
const KINDS = new Map([
  ...CODE.map((macro) => [macro, 'code']),
  ...Object.entries({ Ar: 'em', Em: 'em', Sy: 'strong', Sx: 'section', Xr: 'page', Lk: 'link', No: 'text' }),
])
const ENCLOSURES = new Map(Object.entries({ Pq: '()', Op: '[]', Bq: '[]', Aq: '<>', Dq: '“”', Sq: '‘’' }))
const CLOSING = /^[.,;:!?)\]]$/
const OPENING = /^[([]$/

/** The escapes of roff that the pages use, as the characters that they stand for. */
export const plain = (text) =>
  text
    .replace(/\\".*$/, '')
    .replace(/\\\[u([0-9A-F]{4,6})\]/g, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replace(/\\\((dq|aq|ha|ti|ga|em|en|lB|rB|lC|rC|\+-|rs)/g, (_, name) => CHARACTERS[name])
    .replace(/\\([&e\- ])/g, (_, sign) => ({ '&': '', e: '\\', '-': '-', ' ': ' ' })[sign])

const CHARACTERS = {
  dq: '"',
  aq: "'",
  ha: '^',
  ti: '~',
  ga: '`',
  em: '—',
  en: '–',
  lB: '[',
  rB: ']',
  lC: '{',
  rC: '}',
  '+-': '±',
  rs: '\\',
}

/** The words of a macro's line: { text, quoted }; what is in quotes is one word and no macro. */
export const wordsOf = (line) =>
  [...line.matchAll(/"((?:[^"]|"")*)"|(\S+)/g)]
    .map(([, quoted, bare]) => (bare === undefined ? { text: quoted.replaceAll('""', '"'), quoted: true } : { text: bare, quoted: false }))
    .filter((_, i, all) => !all.slice(0, i + 1).some(({ text, quoted }) => !quoted && text === '\\"'))

// What is known by its form where no macro marks it: a page as NAME(N), an option, a name with an underscore.
const KNOWN = /(?<page>\bplumb(?:-[a-z]+|ing)?\(\d\))|(?<![\w/.-])(?<code>--[a-z][\w-]*|[A-Za-z]+(?:_[A-Za-z]+)+)(?![\w/])/g

/** Running text as spans. */
export const textSpansOf = (text) => {
  const spans = []
  let from = 0
  const add = (kind, until) => {
    const piece = text.slice(from, until)
    if (piece.trim() !== '') spans.push({ kind, text: piece.trim(), space: /\s/.test(text[from - 1] ?? ' ') || /^\s/.test(piece) })
    from = until
  }
  for (const { 0: known, groups, index } of text.matchAll(KNOWN)) {
    add('text', index)
    add(groups.page === undefined ? 'code' : 'page', index + known.length)
  }
  add('text', text.length)
  return spans
}

/** What the words say, where the first may be a macro. `page` is the name that `.Nm` alone stands for. */
export const spansOf = (words, page) => {
  const spans = []
  let glued = false
  const add = (kind, text) => {
    if (text === '') return
    const pieces = kind === 'text' ? textSpansOf(text) : [{ kind, text }]
    for (const [i, piece] of pieces.entries()) spans.push(i === 0 ? { ...piece, space: !glued && spans.length > 0 } : piece)
    glued = false
  }
  let at = 0
  const isMacro = (word) => word !== undefined && !word.quoted && (KINDS.has(word.text) || ENCLOSURES.has(word.text) || word.text === 'Ns')
  const addSign = (text) => {
    if (CLOSING.test(text)) glued = true
    add('text', text)
    if (OPENING.test(text)) glued = true
  }
  /** The words up to the next macro, with signs that stand alone as text between runs. */
  const addRun = (kind, show) => {
    let run = []
    const flush = () => {
      if (run.length > 0) add(kind, show(run))
      run = []
    }
    const from = at
    while (at < words.length && !isMacro(words[at])) {
      const { text, quoted } = words[at]
      at += 1
      if (!quoted && (CLOSING.test(text) || OPENING.test(text))) {
        flush()
        addSign(text)
      } else run.push(plain(text))
    }
    flush()
    return at > from
  }
  const enclose = (macro) => {
    const [open, close] = ENCLOSURES.get(macro)
    let end = words.length
    while (end > at && !words[end - 1].quoted && CLOSING.test(words[end - 1].text)) end -= 1
    const inner = spansOf(words.slice(at, end), page)
    add('text', open)
    for (const [i, span] of inner.entries()) spans.push({ ...span, space: i > 0 && span.space })
    glued = true
    add('text', close)
    for (const { text } of words.slice(end)) addSign(text)
    at = words.length
  }
  const addFlags = () => {
    if (isMacro(words[at]) || at === words.length) {
      add('code', '-')
      glued = true
      return
    }
    addRun('code', ([first, ...rest]) => [`-${first}`, ...rest.map((word) => `-${word}`)].join(' '))
  }
  while (at < words.length) {
    const macro = isMacro(words[at]) ? words[at].text : undefined
    if (macro !== undefined) at += 1
    if (macro === undefined) addRun('text', (run) => run.join(' '))
    else if (macro === 'Ns') glued = true
    else if (ENCLOSURES.has(macro)) enclose(macro)
    else if (macro === 'Fl') addFlags()
    else if (macro === 'Xr') {
      add('page', `${plain(words[at].text)}(${words[at + 1].text})`)
      at += 2
      addRun('text', (run) => run.join(' '))
    } else if (macro === 'Lk') {
      const href = plain(words[at].text)
      at += 1
      if (!addRun('link', (run) => run.join(' '))) add('link', href)
      for (const span of spans) if (span.kind === 'link') span.href ??= href
    } else {
      // Alone, or before a sign, they stand for something.
      const isBare = at === words.length || isMacro(words[at]) || (!words[at].quoted && CLOSING.test(words[at].text))
      if (isBare && macro === 'Nm') add('code', page)
      if (isBare && macro === 'Ar') add('em', 'file ...')
      addRun(KINDS.get(macro), (run) => run.join(' '))
    }
  }
  return joined(spans)
}

/** Code next to code without white space is one piece: `--` and `eval`. */
const joined = (spans) => {
  const result = []
  for (const span of spans) {
    const last = result.at(-1)
    if (last !== undefined && last.kind === span.kind && !span.space && ['code', 'text'].includes(span.kind)) last.text += span.text
    else result.push({ ...span })
  }
  return result
}

/** What the spans say, without marks. */
export const textOf = (spans) => spans.map(({ text, space }, i) => (space && i > 0 ? ' ' : '') + text).join('')
