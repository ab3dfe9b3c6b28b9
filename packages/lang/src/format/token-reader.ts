// The tokens of a source in their order, each with what is before it. Printing walks the tree and takes the tokens one by one,
// so that every comment stays between the two tokens where it stood.

import type { Source } from '../diagnostic/source.js'
import type { Comment, Node } from '../parse/ast.js'
import type { Token, Tokens } from '../parse/lexer.js'
import { blockText } from './block-text.js'
import type { CommentText, Doc } from './doc.js'
import { type Gap, type Glue, glued } from './gap.js'

export class TokenReader {
  #at = 0
  #comment = 0
  /** Behind the last token or comment that was read. */
  #end: number

  readonly #source: Source
  readonly #tokens: readonly Token[]
  readonly #comments: readonly Comment[]

  constructor(source: Source, { tokens, comments, shebang }: Tokens) {
    this.#source = source
    this.#tokens = tokens
    this.#comments = comments
    this.#end = shebang === undefined ? 0 : source.text.indexOf(shebang) + shebang.length
  }

  get next(): Token {
    return this.peek(0)
  }

  peek(distance: number): Token {
    return this.#tokens[Math.min(this.#at + distance, this.#tokens.length - 1)] as Token
  }

  isSymbol(text: string, distance = 0): boolean {
    const { kind, text: found } = this.peek(distance)
    return kind === 'symbol' && found === text
  }

  /** What is before the next token. It is to be read, and shown, before the token is taken. */
  gap(): Gap {
    const comments: Gap['comments'][number][] = []
    for (let c = this.#comments[this.#comment]; c && c.span.start < this.next.span.start; c = this.#comments[++this.#comment]) {
      comments.push({ text: commentText(c), newlines: this.#newlinesTo(c.span.start) })
      this.#end = c.span.end
    }
    const newlines = this.#newlinesTo(this.next.span.start)
    this.#end = this.next.span.start
    return { comments, newlines }
  }

  glue(glue: Glue): Doc {
    return glued(this.gap(), glue)
  }

  /** The next token as it is written, but for the arrow, which has two spellings. */
  take(): Doc {
    const { kind, text, span } = this.next
    this.#at++
    this.#end = span.end
    return kind === 'string' ? blockText(this.#source.text.slice(span.start, span.end)) : text
  }

  glueAndTake(glue: Glue): Doc {
    return [this.glue(glue), this.take()]
  }

  /** Passes over a token. What stood before it is still to be read. */
  drop(): void {
    this.#at++
  }

  /** Passes over the tokens and comments before an offset, and gives what is written there. */
  takeSource(end: number): string {
    const start = this.next.span.start
    while (this.next.kind !== 'end' && this.next.span.start < end) this.#at++
    while ((this.#comments[this.#comment]?.span.start ?? end) < end) this.#comment++
    this.#end = end
    return this.#source.text.slice(start, end)
  }

  hasComment(start: number, end: number): boolean {
    const first = this.#comments[indexFrom(this.#comments, start)]
    return first !== undefined && first.span.end <= end
  }

  /** The token before an offset, and those from it on. */
  before(offset: number): Token | undefined {
    return this.#tokens[indexFrom(this.#tokens, offset) - 1]
  }

  from(offset: number, distance: number): Token | undefined {
    return this.#tokens[indexFrom(this.#tokens, offset) + distance]
  }

  #newlinesTo(offset: number): number {
    return this.#source.text.slice(this.#end, offset).split('\n').length - 1
  }
}

/** Of the first that begins at the offset or after it. */
const indexFrom = (nodes: readonly Node[], offset: number): number => {
  let low = 0
  let high = nodes.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((nodes[middle] as Node).span.start < offset) low = middle + 1
    else high = middle
  }
  return low
}

// A comment as it is printed: word for word, without what no one sees, and moved as a block when it was written as one.
const commentText = ({ text, span }: Comment): CommentText => {
  const [first = '', ...rest] = text.split('\n').map((line) => line.replace(/[ \t\r]+$/, ''))
  const { text: whole } = span.source
  // As wide as what is before the comment on its line.
  const margin = [...whole.slice(whole.lastIndexOf('\n', span.start - 1) + 1, span.start).replace('\uFEFF', '')]
    .map((c) => (c === '\t' ? c : ' '))
    .join('')
  const isShifted = rest.every((line) => line === '' || line.startsWith(margin))
  return { kind: 'comment', first, rest: isShifted ? rest.map((line) => line.slice(margin.length)) : rest, isShifted }
}
