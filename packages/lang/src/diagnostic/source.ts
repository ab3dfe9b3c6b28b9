// A program text with its name, and positions in it. Offsets are UTF-16 units; people are shown code points (see position).

export interface Source {
  /** Its name in diagnostics: the path as the user gave it, or `<eval>`. */
  readonly path: string
  readonly text: string
}

/** Half-open range of UTF-16 offsets in one source. */
export interface Span {
  readonly source: Source
  readonly start: number
  readonly end: number
}

/** Line and column, both from 1; the column counts code points, as plumbing(5) asks. */
export interface Position {
  readonly line: number
  readonly column: number
}

export const joinSpans = (a: Span, b: Span): Span => ({ source: a.source, start: a.start, end: b.end })

export const position = (source: Source, offset: number): Position => {
  const index = indexOf(source)
  const line = lineAt(index.starts, offset)
  const start = index.starts[line - 1] ?? 0
  // A file may be one endless line with thousands of errors: counting resumes where it stopped.
  const from = index.last.offset >= start && index.last.offset <= offset ? index.last : { offset: start, column: 1 }
  const column = from.column + codePoints(source.text.slice(from.offset, offset))
  index.last = { offset, column }
  return { line, column }
}

/** The bounds of the line around an offset, without its line end. */
export const lineAround = (source: Source, offset: number): { readonly start: number; readonly end: number } => {
  const { starts } = indexOf(source)
  const line = lineAt(starts, offset)
  const next = starts[line]
  const start = starts[line - 1] ?? 0
  const end = next === undefined ? source.text.length : next - 1
  return { start, end: end > start && source.text[end - 1] === '\r' ? end - 1 : end }
}

export const codePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

interface Index {
  readonly starts: readonly number[]
  last: { readonly offset: number; readonly column: number }
}

const indexes = new WeakMap<Source, Index>()

const indexOf = (source: Source): Index => {
  const known = indexes.get(source)
  if (known) return known
  const { text } = source
  // A byte-order mark is not a column.
  const starts = [text.startsWith('\uFEFF') ? 1 : 0]
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1)
  const index = { starts, last: { offset: -1, column: 1 } }
  indexes.set(source, index)
  return index
}

const lineAt = (starts: readonly number[], offset: number): number => {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low + 1
}
