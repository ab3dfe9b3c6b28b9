// Markdown as elements of the page. Everything becomes text of elements that are made here: no HTML of a message is ever read as such, and
// nothing is fetched.

/** Signs that are worth showing it otherwise than as it was written. */
const MARKS = /\*\*|__|~~|`|^#{1,6} |^\s*[-*+] |^\s*\d{1,9}[.)] |\]\(|^\s*> |^\s*\|.*\||https?:\/\//m

export const hasMarks = (text: string): boolean => MARKS.test(text)

/** Lists and quotes inside each other. */
const MAX_DEPTH = 8

export const showMarkdown = (text: string): DocumentFragment => {
  const fragment = document.createDocumentFragment()
  blocks(text.split('\n'), fragment, 0)
  return fragment
}

const make = (name: string, parent: Node): HTMLElement => parent.appendChild(document.createElement(name))

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/
const ITEM = /^( *)([-*+]|\d{1,9}[.)])\s+(.*)$/
const QUOTE = /^ {0,3}> ?(.*)$/
const TABLE_RULE = /^ {0,3}\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/

const blocks = (lines: readonly string[], parent: Node, depth: number): void => {
  let words: string[] = []
  const flush = (): void => {
    if (words.length > 0) inline(words.join('\n'), make('p', parent), 0)
    words = []
  }
  for (let i = 0; i < lines.length; ) {
    const line = lines[i] ?? ''
    const used = depth < MAX_DEPTH ? blockAt(lines, i, parent, depth, flush) : 0
    if (used === 0 && line.trim() !== '') words.push(line)
    else flush()
    i += Math.max(1, used)
  }
  flush()
}

/** The lines that a block takes; 0: it is text. `begin` ends the paragraph before it. */
const blockAt = (lines: readonly string[], i: number, parent: Node, depth: number, begin: () => void): number => {
  const line = lines[i] ?? ''
  const [, fence, language] = FENCE.exec(line) ?? []
  if (fence !== undefined) {
    begin()
    return codeBlock(lines, i, { fence, language: language ?? '' }, parent)
  }
  const [, level, title] = HEADING.exec(line) ?? []
  if (level !== undefined) {
    begin()
    // Below those of the page.
    inline(title ?? '', make(`h${Math.min(6, level.length + 4)}`, parent), 0)
    return 1
  }
  if (RULE.test(line)) {
    begin()
    make('hr', parent)
    return 1
  }
  if (ITEM.test(line)) {
    begin()
    return list(lines, i, parent, depth)
  }
  if (QUOTE.test(line)) {
    begin()
    const end = lines.findIndex((other, j) => j > i && !QUOTE.test(other))
    const quoted = lines.slice(i, end < 0 ? undefined : end)
    blocks(
      quoted.map((one) => QUOTE.exec(one)?.[1] ?? ''),
      make('blockquote', parent),
      depth + 1,
    )
    return quoted.length
  }
  if (!line.includes('|') || !TABLE_RULE.test(lines[i + 1] ?? '') || !(lines[i + 1] ?? '').includes('-')) return 0
  begin()
  return table(lines, i, parent)
}

const codeBlock = (lines: readonly string[], i: number, { fence, language }: { fence: string; language: string }, parent: Node): number => {
  const isEnd = (line: string) => line.trim().startsWith(fence) && line.trim().replaceAll(fence[0] ?? '', '') === ''
  const found = lines.findIndex((line, j) => j > i && isEnd(line))
  const end = found < 0 ? lines.length : found
  const pre = make('pre', parent)
  if (language !== '') pre.dataset.language = language
  make('code', pre).textContent = lines.slice(i + 1, end).join('\n')
  return end - i + 1
}

const list = (lines: readonly string[], i: number, parent: Node, depth: number): number => {
  const [, pad = '', sign = ''] = ITEM.exec(lines[i] ?? '') ?? []
  const isOrdered = /\d/.test(sign)
  const element = make(isOrdered ? 'ol' : 'ul', parent)
  if (isOrdered) element.setAttribute('start', String(Number.parseInt(sign, 10)))
  let at = i
  for (;;) {
    const [, indent = '', mark = '', first = ''] = ITEM.exec(lines[at] ?? '') ?? []
    const isNext = mark !== '' && Math.abs(indent.length - pad.length) < 2 && /\d/.test(mark) === isOrdered
    if (!isNext) return at - i
    const inside = [first]
    const deeper = indent.length + 2
    for (at++; at < lines.length; at++) {
      const line = lines[at] ?? ''
      const isBlank = line.trim() === ''
      const own = line.length - line.trimStart().length
      if (!isBlank && own < deeper && (ITEM.test(line) || (lines[at - 1] ?? '').trim() === '' || own === 0)) break
      if (isBlank && !(lines[at + 1] ?? '').startsWith(' '.repeat(deeper))) break
      inside.push(line.slice(Math.min(own, deeper)))
    }
    // An empty line between two items.
    if ((lines[at] ?? '').trim() === '' && ITEM.test(lines[at + 1] ?? '')) at++
    blocks(inside, make('li', element), depth + 1)
  }
}

const cells = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim())

const table = (lines: readonly string[], i: number, parent: Node): number => {
  // A wide one is scrolled, by keys as well, and the page stays as wide as it is.
  const box = make('div', parent)
  box.className = 'table'
  box.tabIndex = 0
  box.setAttribute('role', 'group')
  box.setAttribute('aria-label', 'table')
  const element = make('table', box)
  const head = make('tr', make('thead', element))
  for (const cell of cells(lines[i] ?? '')) inline(cell, make('th', head), 0)
  const body = make('tbody', element)
  let at = i + 2
  for (; at < lines.length && (lines[at] ?? '').includes('|'); at++) {
    const row = make('tr', body)
    for (const cell of cells(lines[at] ?? '')) inline(cell, make('td', row), 0)
  }
  return at - i
}

/** Each alternative begins with a sign of its own, so that a text is read once. */
const INLINE =
  /\\([!-/:-@[-`{-~])|(`+)([^`](?:.*?[^`])?)\2(?!`)|(\*\*|__)(?=\S)([^\n]{1,2000}?\S)\4|(?<![\w*])\*(?=[^\s*])([^*\n]{1,2000})\*(?!\*)|(?<![\w_])_(?=[^\s_])([^_\n]{1,2000})_(?![\w_])|~~([^~\n]{1,2000})~~|(!?)\[([^\]\n]{0,1000})\]\(\s*<?([^\s()<>]{1,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,200})?)>?[^)\n]{0,300}\)|(https?:\/\/[^\s<>"'`)\]]{1,2000})/

const inline = (text: string, parent: Node, depth: number): void => {
  let rest = text
  for (;;) {
    const found = depth > MAX_DEPTH ? null : INLINE.exec(rest)
    if (!found) break
    parent.appendChild(document.createTextNode(rest.slice(0, found.index)))
    addInline(found, parent, depth + 1)
    rest = rest.slice(found.index + found[0].length)
  }
  parent.appendChild(document.createTextNode(rest))
}

const addInline = (found: RegExpExecArray, parent: Node, depth: number): void => {
  const [whole, escaped, ticks, code, , strong, star, under, struck, bang, words, target, bare] = found
  if (escaped !== undefined) parent.appendChild(document.createTextNode(escaped))
  else if (ticks !== undefined) make('code', parent).textContent = code ?? ''
  else if (strong !== undefined) inline(strong, make('strong', parent), depth)
  else if (star !== undefined || under !== undefined) inline(star ?? under ?? '', make('em', parent), depth)
  else if (struck !== undefined) inline(struck, make('s', parent), depth)
  else if (target !== undefined) link(target, bang === '!' ? `picture: ${words}` : (words ?? ''), whole, parent)
  else if (bare !== undefined) {
    // The end of a sentence is not part of an address.
    const [address = ''] = /^.*?(?=[.,;:!?]*$)/s.exec(bare) ?? []
    link(address, undefined, address, parent)
    parent.appendChild(document.createTextNode(bare.slice(address.length)))
  }
}

const link = (target: string, words: string | undefined, whole: string, parent: Node): void => {
  const isSafe = /^(https?:\/\/|mailto:)/i.test(target) && (URL.canParse?.(target) ?? true)
  if (!isSafe) return void parent.appendChild(document.createTextNode(whole))
  const anchor = make('a', parent)
  anchor.setAttribute('href', target)
  anchor.setAttribute('rel', 'noopener noreferrer nofollow')
  anchor.setAttribute('target', '_blank')
  anchor.title = target
  if (words === undefined || words.trim() === '') anchor.textContent = target
  else inline(words.replace(/https?:\/\//g, ''), anchor, MAX_DEPTH)
}
