// A manual page in mdoc as a tree, for writers of other forms.
//
// A page is { name, section, about, blocks }. A block is one of
//   { kind: 'heading', level, text }                 level 2 for .Sh, 3 for .Ss
//   { kind: 'paragraph', spans }
//   { kind: 'code', text, file?, language }          `file` where the page says by a comment under which name it is laid down
//   { kind: 'synopsis', lines }                      each line spans
//   { kind: 'table', head?, rows, widths }           rows of cells, which are spans; widths as the page gives them
//   { kind: 'list', ordered, items }                 items of blocks
//   { kind: 'terms', items }                         items { term: spans, blocks }

import { plain, spansOf, textOf, textSpansOf, wordsOf } from './inline.mjs'

/** The tree of a page. What no writer would show is an error, so that nothing is lost in silence. */
export const readMdoc = (text, file) => {
  const reader = { lines: text.replace(/\n$/, '').split('\n'), at: 0, name: '', file, inSynopsis: false }
  const [, name = '', section = ''] = /^(.*)\.(\d)$/.exec(file) ?? []
  reader.name = name
  const about = plain(/^\.Nd (.*)$/m.exec(text)?.[1] ?? '')
  return { name, section, about, blocks: readBlocks(reader).filter(({ kind, text }) => kind !== 'heading' || text !== 'NAME') }
}

/** Blocks up to the end, or to a line that ends what they are in, which stays. */
const readBlocks = (reader) => {
  const blocks = []
  let spans = []
  const flush = () => {
    if (spans.length > 0) blocks.push({ kind: 'paragraph', spans })
    spans = []
  }
  const append = (more) => spans.push(...more.map((span, i) => (i === 0 ? { ...span, space: spans.length > 0 } : span)))
  let marker
  for (; reader.at < reader.lines.length; reader.at += 1) {
    const line = reader.lines[reader.at]
    if (line.startsWith('.\\"')) {
      marker = /^\.\\" (run|no-run|file)\b ?(.*)$/.exec(line) ?? marker
      continue
    }
    if (!line.startsWith('.')) {
      append(textSpansOf(plain(line).trim()))
      continue
    }
    const [, macro, rest] = /^\.(\S+)\s*(.*)$/.exec(line) ?? []
    if (macro === 'It' || macro === 'El') break
    // What is for paper alone.
    if (['Dd', 'Dt', 'Os', 'Nd', 'hlm'].includes(macro)) continue
    if (/^[a-z]/.test(macro) && macro !== 'br') throw new Error(`${reader.name}: '.${macro}' is not a macro of pages`)
    if (['Pp', 'br'].includes(macro)) flush()
    else if (macro === 'Sh' || macro === 'Ss') {
      flush()
      blocks.push({ kind: 'heading', level: macro === 'Sh' ? 2 : 3, text: textOf(spansOf(wordsOf(rest), reader.name)) })
      if (rest === 'NAME') skipName(reader)
      if (rest === 'SYNOPSIS') blocks.push(readSynopsis(reader))
    } else if (macro === 'Bd') {
      flush()
      const code = readCode(reader, marker)
      // Its name stands over it already.
      if (blocks.at(-1)?.kind === 'paragraph' && textOf(blocks.at(-1).spans) === `${code.file}:`) blocks.pop()
      blocks.push(code)
    } else if (macro === 'Dl') {
      flush()
      const line = plain(rest)
      blocks.push({ kind: 'code', text: `${line}\n`, language: languageOf(line) })
    } else if (macro === 'Bl') {
      flush()
      blocks.push(readList(reader, rest))
    } else append(spansOf([{ text: macro, quoted: false }, ...wordsOf(rest)], reader.name))
    marker = undefined
  }
  flush()
  return blocks
}

const skipName = (reader) => {
  while (/^\.N[md]\b/.test(reader.lines[reader.at + 1] ?? '')) reader.at += 1
}

/** Each `.Nm` begins a line; what is below the last one is of the next section. */
const readSynopsis = (reader) => {
  const lines = []
  while (!(reader.lines[reader.at + 1] ?? '.Sh').startsWith('.Sh')) {
    reader.at += 1
    const line = reader.lines[reader.at]
    if (/^\.(Pp|\\")/.test(line) || line === '') continue
    if (/^\.(Bd|Ed)\b/.test(line)) continue
    const spans = line.startsWith('.') ? spansOf(wordsOf(line.slice(1)), reader.name) : [{ kind: 'text', text: plain(line), space: false }]
    if (line.startsWith('.Nm') || lines.length === 0 || !line.startsWith('.')) lines.push(spans)
    else lines.at(-1).push(...spans.map((span, i) => (i === 0 ? { ...span, space: true } : span)))
  }
  return { kind: 'synopsis', lines }
}

const readCode = (reader, marker) => {
  const lines = []
  for (reader.at += 1; reader.at < reader.lines.length && !reader.lines[reader.at].startsWith('.Ed'); reader.at += 1)
    lines.push(plain(reader.lines[reader.at]))
  const text = `${lines.join('\n')}\n`
  const file = marker?.[1] === 'file' ? marker[2].trim() : undefined
  return { kind: 'code', text, language: languageOf(text, file), ...(file === undefined ? {} : { file }) }
}

const LANGUAGES = {
  plumb: 'plumb',
  sh: 'sh',
  bash: 'sh',
  py: 'python',
  awk: 'awk',
  mjs: 'js',
  js: 'js',
  ts: 'ts',
  json: 'json',
  jsonl: 'json',
  yml: 'yaml',
  yaml: 'yaml',
  md: 'markdown',
  lua: 'lua',
  toml: 'toml',
}

/** The language of a listing: by the name of its file, else by how it begins. */
const languageOf = (text, file) => {
  const extension = /\.(\w+)$/.exec(file ?? '')?.[1]
  if (extension !== undefined) return LANGUAGES[extension] ?? 'text'
  if (file !== undefined && /makefile/i.test(file)) return 'make'
  if (text.startsWith('$ ')) return 'console'
  if (text.startsWith('#!')) return /python/.test(text.split('\n', 1)[0]) ? 'python' : 'sh'
  if (/^\s*(let|type|use|param|test|wire|untrusted) |^\s*@\w+ |^\s*agent \{/m.test(text)) return 'plumb'
  if (/^\s*[{[]/.test(text)) return /^\s*\{\s*"|^\s*\[/.test(text) ? 'json' : 'plumb'
  if (/^(plumb[a-z-]*|cc|docker|npm|npx|git|export|ssh) /.test(text)) return 'sh'
  if (/^[\w.-]+:( |$)/.test(text) && /^\s*- /m.test(text)) return 'yaml'
  return 'text'
}

const readList = (reader, options) => {
  const type = /^-(\w+)/.exec(options)?.[1]
  const items = []
  reader.at += 1
  for (; reader.at < reader.lines.length && !reader.lines[reader.at].startsWith('.El'); ) {
    const [, term] = /^\.It ?(.*)$/.exec(reader.lines[reader.at]) ?? []
    if (term === undefined) {
      if (!reader.lines[reader.at].startsWith('.\\"')) throw new Error(`${reader.file}:${reader.at + 1}: not an item of a list`)
      reader.at += 1
      continue
    }
    reader.at += 1
    items.push({ term, blocks: readBlocks(reader) })
  }
  if (type === 'tag')
    return { kind: 'terms', items: items.map(({ term, blocks }) => ({ term: spansOf(wordsOf(term), reader.name), blocks })) }
  if (type === 'bullet' || type === 'enum') return { kind: 'list', ordered: type === 'enum', items: items.map(({ blocks }) => blocks) }
  if (type === 'column') return tableOf(items, options, reader.name)
  throw new Error(`${reader.file}: a list of kind '${type}' is not known`)
}

const tableOf = (items, options, page) => {
  const widths = wordsOf(options.replace(/^-column\s*/, '').replace(/\s-compact\b/, '')).map(({ text }) => plain(text))
  const rows = items.map(({ term, blocks }) => {
    const cells = cellsOf(wordsOf(term)).map((words) => spansOf(words, page))
    // A cell that goes on over several lines.
    for (const { spans = [] } of blocks)
      cells.at(-1).push(...spans.map((span, i) => (i === 0 ? { ...span, space: !/^[.,;:)]/.test(span.text) } : span)))
    return cells
  })
  const filled = rows.filter((cells) => textOf(cells.flat()) !== '')
  const [first = [], ...rest] = filled
  const isHead = first.every((cell) => cell.length === 0 || (cell.length === 1 && ['strong', 'em'].includes(cell[0].kind)))
  return { kind: 'table', widths, ...(isHead ? { head: first.map(unmarked), rows: rest } : { rows: filled }) }
}

const unmarked = (cell) => cell.map((span) => ({ ...span, kind: 'text' }))

const cellsOf = (words) => {
  const cells = [[]]
  for (const word of words) {
    if (!word.quoted && word.text === 'Ta') cells.push([])
    else cells.at(-1).push(word)
  }
  return cells
}
