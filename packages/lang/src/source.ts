// A piece of program text with its name, and places in it. Offsets are UTF-16 units; people are shown code points (see position).

export interface Source {
  /** What diagnostics call it: the path as the user gave it, or `<eval>`. */
  readonly path: string
  readonly text: string
}

/** Half-open range of UTF-16 offsets in one source. */
export interface Span {
  readonly source: Source
  readonly start: number
  readonly end: number
}

/** Line and column, both from 1; the column counts code points, as language.md asks. */
export interface Position {
  readonly line: number
  readonly column: number
}

export const joinSpans = (a: Span, b: Span): Span => ({ source: a.source, start: a.start, end: b.end })

export const position = ({ text }: Source, offset: number): Position => {
  let line = 1
  let lineStart = 0
  for (let i = text.indexOf('\n'); i >= 0 && i < offset; i = text.indexOf('\n', lineStart)) {
    line++
    lineStart = i + 1
  }
  return { line, column: codePoints(text.slice(lineStart, offset)) + 1 }
}

/** The text of one line (from 1), without its line end. */
export const lineText = ({ text }: Source, line: number): string => (text.split('\n', line)[line - 1] ?? '').replace(/\r$/, '')

export const codePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}
