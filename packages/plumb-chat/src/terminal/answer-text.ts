// An answer as a person reads it on a terminal: lines end between words, and what Markdown marks is shown. It comes in pieces, and each word
// is shown as soon as it is complete. The text is safe for a terminal already.

import { breakable, paint, sgr, textWidth, wrappedTable } from '@plumb/wire'
import { type Mark, plainText, readInline, type Span } from './inline.js'

export interface AnswerTextOptions {
  /** Of the terminal, now. */
  readonly columns: () => number
  /** It shows colour and weight; else Markdown stays as it is written. */
  readonly isStyled: boolean
}

export interface AnswerText {
  /** So many cells are taken already in its first line. */
  begin(column: number): void
  push(piece: string): string
  /** What was held back. The next piece begins another answer. */
  end(): string
}

/** What the beginning of a line says of the line. */
interface Block {
  /** In place of that beginning. */
  readonly shown: readonly Span[]
  /** Below the first character of its text. */
  readonly indent: string
  readonly marks: readonly Mark[]
  readonly length: number
}

const CODES: Readonly<Record<Mark, string>> = { bold: '1', italic: '3', code: '36', link: '4', dim: '2' }
const FENCE = /^\s*(`{3,}|~{3,})/
/** Without a line end. */
const MAX_HELD = 64 * 1024

export const openAnswerText = (options: AnswerTextOptions): AnswerText => new FlowingText(options)

class FlowingText implements AnswerText {
  readonly #o: AnswerTextOptions
  /** Of the source, what is not shown yet. */
  #line = ''
  #block: Block | undefined
  /** The fence of the code that is open. */
  #fence: string | undefined
  #rows: string[] = []
  #column = 0
  #space = ''
  #shown = ''

  constructor(options: AnswerTextOptions) {
    this.#o = options
  }

  begin(column: number): void {
    this.#column = column
  }

  push(piece: string): string {
    const [first = '', ...others] = piece.split('\n')
    this.#add(first)
    for (const line of others) {
      this.#endLine()
      this.#add(line)
    }
    return this.#take()
  }

  end(): string {
    if (this.#line !== '' || this.#block) this.#flow(true)
    this.#showRows()
    this.#line = ''
    this.#block = undefined
    this.#fence = undefined
    this.#column = 0
    this.#space = ''
    return this.#take().replace(/\n$/, '')
  }

  #take(): string {
    const shown = this.#shown
    this.#shown = ''
    return shown
  }

  #add(text: string): void {
    this.#line += text
    if (text !== '') this.#flow(this.#line.length > MAX_HELD)
  }

  #endLine(): void {
    const isRow = this.#isRow(true)
    this.#flow(true)
    this.#line = ''
    this.#block = undefined
    this.#space = ''
    if (!isRow) this.#shown += '\n'
    this.#column = 0
  }

  #isRow(isWhole: boolean): boolean {
    return this.#o.isStyled && this.#fence === undefined && !this.#block && (isWhole ? /^\s*\|.*\|\s*$/ : /^\s*\|/).test(this.#line)
  }

  #flow(isWhole: boolean): void {
    if (this.#block) return this.#flowText(isWhole)
    if (this.#o.isStyled && (this.#fence !== undefined || FENCE.test(this.#line))) {
      if (isWhole) this.#showCode()
      return
    }
    if (this.#isRow(isWhole)) {
      if (isWhole) this.#rows.push(this.#line)
      return
    }
    const block = readBlock(this.#line, isWhole, this.#o.isStyled)
    if (!block) return
    this.#showRows()
    this.#block = block
    this.#line = this.#line.slice(block.length)
    for (const span of block.shown) this.#write(span)
    this.#flowText(isWhole)
  }

  #flowText(isWhole: boolean): void {
    const parts = breakable(this.#line)
    // The last word may go on.
    const tail = isWhole || /\s$/.test(this.#line) ? '' : (parts.pop() ?? '')
    const head = parts.join('')
    if (head === '') return
    const { marks = [] } = this.#block ?? {}
    const { spans, rest } = this.#o.isStyled ? readInline(head, isWhole, marks) : { spans: [{ text: head, marks }], rest: '' }
    this.#line = rest + tail
    let word: Span[] = []
    const endWord = (): void => {
      if (word.length > 0) this.#showWord(word)
      word = []
    }
    for (const { text, marks } of spans) {
      for (const [i, part] of breakable(text).entries()) {
        const isSpace = /^\s/.test(part)
        // Between two parts without a space a line may end, but not where only the marks change.
        if (isSpace || i > 0) endWord()
        if (isSpace) this.#space += part
        else word.push({ text: part, marks })
      }
    }
    endWord()
  }

  #showWord(word: readonly Span[]): void {
    const width = word.reduce((sum, { text }) => sum + textWidth(text), 0)
    const { indent = '' } = this.#block ?? {}
    const start = textWidth(indent)
    if (this.#column > start && this.#column + this.#space.length + width > this.#o.columns()) {
      this.#shown += `\n${indent}`
      this.#column = start
    } else {
      this.#shown += this.#space
      this.#column += this.#space.length
    }
    this.#space = ''
    for (const span of word) this.#write(span)
  }

  #write({ text, marks }: Span): void {
    this.#shown += this.#o.isStyled && marks.length > 0 ? sgr(marks.map((mark) => CODES[mark]).join(';'), text) : text
    const [column, columns] = [this.#column + textWidth(text), this.#o.columns()]
    // What is longer than the terminal goes on in its next row.
    this.#column = column <= columns ? column : column % Math.max(1, columns)
  }

  #showCode(): void {
    this.#showRows()
    const [, fence = ''] = FENCE.exec(this.#line) ?? []
    const closes = this.#fence !== undefined && fence.startsWith(this.#fence) && this.#line.trim() === fence
    if (this.#fence === undefined) {
      this.#fence = fence
      this.#shown += paint('dim', this.#line)
    } else if (closes) {
      this.#fence = undefined
      this.#shown += paint('dim', this.#line)
    } else this.#shown += this.#line === '' ? '' : sgr(CODES.code, this.#line)
  }

  #showRows(): void {
    const rows = this.#rows.splice(0)
    if (rows.length === 0) return
    const cells = rows.filter((row) => !/^[\s|:-]+$/.test(row)).map(cellsOf)
    const columns = Math.max(0, ...cells.map((row) => row.length))
    const table = wrappedTable(
      cells.map((row) => Array.from({ length: columns }, (_, i) => row[i] ?? '')),
      { width: this.#o.columns(), isStyled: rows.length > cells.length },
    )
    this.#shown += table.map((line) => `${line}\n`).join('')
  }
}

const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => plainText(cell.trim().replaceAll('\\|', '|')))

/** Undefined: its beginning says nothing yet. */
const readBlock = (line: string, isWhole: boolean, isStyled: boolean): Block | undefined => {
  if (!isWhole && UNDECIDED.test(line)) return undefined
  const [, space = '', sign = '', gap = ''] = LEAD.exec(line) ?? []
  const length = space.length + sign.length + gap.length
  const plain = (text: string, marks: readonly Mark[] = []): Span[] => (text === '' ? [] : [{ text, marks }])
  if (isStyled && RULE.test(line)) return { shown: plain('─'.repeat(24), ['dim']), indent: '', marks: [], length: line.length }
  if (sign === '' || gap === '') {
    const [lead = ''] = /^\s*/.exec(line) ?? []
    return { shown: plain(lead), indent: lead, marks: [], length: lead.length }
  }
  if (sign.startsWith('#')) {
    if (!isStyled) return { shown: plain(space + sign + gap), indent: '', marks: [], length }
    return { shown: [], indent: '', marks: ['bold'], length }
  }
  if (sign === '>') {
    const shown = isStyled ? '│ ' : `${sign} `
    return { shown: plain(space + shown, isStyled ? ['dim'] : []), indent: space + shown, marks: [], length }
  }
  const bullet = isStyled && /^[-*+]$/.test(sign) ? '•' : sign
  return { shown: plain(`${space}${bullet} `), indent: `${space}${' '.repeat(bullet.length)} `, marks: [], length }
}

const LEAD = /^(\s*)(#{1,6}|>|[-*+]|\d{1,4}[.)])(\s+)/
const RULE = /^\s*([-*_])(?:\s*\1){2,}\s*$/
const UNDECIDED = /^\s*(#{0,6}|>|[-*_+\s]*|\d{1,4}[.)]?|`{1,2}|~{1,2})\s*$/
