// Splits Markdown into chunks by headings, then by paragraphs. A code fence stays whole.

import { headOf } from '../../../call/cut-text.js'
import { type Chunk, chunkLines, HEADING_SEPARATOR, isBlankLine, type LineBlock, packBlocks } from './chunk.js'

const ATX = /^ {0,3}(#{1,6})(?![^ \t])/
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/
/** A heading is stored with every chunk below it. */
const MAX_TITLE = 120
const FRONT_MATTER = /^---[ \t]*$/

export const chunkMarkdown = (text: string): Chunk[] => {
  const lines = chunkLines(text)
  return packBlocks(lines, new Reader(lines).read())
}

class Reader {
  readonly #blocks: LineBlock[] = []
  /** The headings above the current line, by level. */
  readonly #headings: string[] = []
  #start = 0
  #isSection = false
  /** Only headings since the section began: consecutive headings belong to one section. */
  #isBare = false

  constructor(private readonly lines: readonly string[]) {}

  read(): readonly LineBlock[] {
    let at = this.#frontMatterEnd()
    this.#end(at)
    while (at < this.lines.length) at = this.#take(at)
    this.#end(at)
    return this.#blocks
  }

  /** Returns the line after the block that begins here. */
  #take(at: number): number {
    const line = this.lines[at] as string
    const fence = FENCE.exec(line)?.[1]
    if (fence !== undefined) {
      this.#isBare = false
      return this.#fenceEnd(at, fence)
    }
    const [start = '', marks] = ATX.exec(line) ?? []
    if (marks !== undefined) return this.#heading(at, at + 1, marks.length, withoutClosing(line.slice(start.length)))
    const underline = isBlankLine(line) ? undefined : UNDERLINE.exec(this.lines[at + 1] ?? '')?.[1]
    // Lists and rules are not setext headings, and neither is the last line of a longer paragraph.
    if (underline !== undefined && at === this.#start && !/^\s*([-*+>|]|\d+[.)])/.test(line))
      return this.#heading(at, at + 2, underline.startsWith('=') ? 1 : 2, line.trim())
    if (isBlankLine(line)) this.#end(at + 1)
    else this.#isBare = false
    return at + 1
  }

  #heading(at: number, end: number, level: number, title: string): number {
    this.#end(at)
    this.#headings.length = Math.min(this.#headings.length, level - 1)
    while (this.#headings.length < level - 1) this.#headings.push('')
    this.#headings.push(headOf(title, MAX_TITLE))
    this.#isSection = !this.#isBare
    this.#isBare = true
    this.#end(end)
    return end
  }

  #fenceEnd(at: number, fence: string): number {
    for (let next = at + 1; next < this.lines.length; next++) {
      const [, closing = ''] = /^ {0,3}(`+|~+)[ \t]*$/.exec(this.lines[next] as string) ?? []
      if (closing.startsWith(fence)) return next + 1
    }
    return this.lines.length
  }

  #frontMatterEnd(): number {
    if (!FRONT_MATTER.test(this.lines[0] ?? '')) return 0
    const end = this.lines.findIndex((line, at) => at > 0 && /^(---|\.\.\.)[ \t]*$/.test(line))
    return end + 1
  }

  #end(end: number): void {
    if (end === this.#start) return
    const heading = this.#headings.filter((title) => title !== '').join(HEADING_SEPARATOR)
    this.#blocks.push({ start: this.#start, end, heading, isStart: this.#isSection })
    this.#isSection = false
    this.#start = end
  }
}

// By hand, since a regular expression anchored at the end takes quadratic time.
const withoutClosing = (title: string): string => {
  const text = title.trim()
  let end = text.length
  while (text[end - 1] === '#') end--
  return end === 0 || /[ \t]/.test(text[end - 1] ?? '') ? text.slice(0, end).trimEnd() : text
}
