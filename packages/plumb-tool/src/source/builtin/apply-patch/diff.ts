// Prints the edits as a unified diff that patch(1) accepts.

import type { LineEdit } from './apply-hunks.js'
import type { TextLine } from './lines.js'

const CONTEXT = 3

/** The files that begin with a byte-order mark, which their lines do not have. */
export type Marks = 'none' | 'before' | 'both'

/** `edits` are in file order; `after` is the result of applying them to `before`. */
export const toDiff = (
  from: string,
  to: string,
  before: readonly TextLine[],
  after: readonly TextLine[],
  { edits, marks }: { readonly edits: readonly LineEdit[]; readonly marks: Marks },
): string => {
  const old = marks === 'none' ? before : withMark(before)
  const fresh = marks === 'both' ? withMark(after) : after
  // Where nothing is left, or nothing was there, the mark is a line of its own.
  const isWhole = marks !== 'none' && (before.length === 0 || after.length === 0)
  const spans = addChangedLines(old, fresh, isWhole ? [{ from: 0, removed: old, added: fresh }] : edits)
  const hunks = groupSpans(spans).map((group) => hunkText(old, fresh, group))
  return [`--- ${from}`, `+++ ${to}`, ...hunks].join('\n')
}

// For programs that apply a diff, it is a part of the first line.
const withMark = (lines: readonly TextLine[]): readonly TextLine[] => {
  const [first = { text: '', end: '' }, ...rest] = lines
  return [{ ...first, text: `\ufeff${first.text}` }, ...rest]
}

/** Lines `[from, fromEnd)` became `[to, toEnd)`. */
interface Span {
  readonly from: number
  readonly fromEnd: number
  readonly to: number
  readonly toEnd: number
}

// By an edit beside it, the last line may have gained or lost its newline, and the first one the mark.
const addChangedLines = (before: readonly TextLine[], after: readonly TextLine[], edits: readonly LineEdit[]): Span[] => {
  const spans: Span[] = []
  let [from, to] = [0, 0]
  const keep = (until: number): void => {
    for (; from < until; from++, to++) {
      const [old, fresh] = [before[from], after[to]]
      if (old?.end !== fresh?.end || old?.text !== fresh?.text) spans.push({ from, fromEnd: from + 1, to, toEnd: to + 1 })
    }
  }
  for (const edit of edits) {
    keep(edit.from)
    const span = { from, fromEnd: from + edit.removed.length, to, toEnd: to + edit.added.length }
    spans.push(span)
    from = span.fromEnd
    to = span.toEnd
  }
  keep(before.length)
  return spans
}

// Spans whose context would overlap form one hunk.
const groupSpans = (spans: readonly Span[]): Span[][] => {
  const groups: Span[][] = []
  for (const span of spans) {
    const last = groups.at(-1)
    if (last && span.from - (last.at(-1) as Span).fromEnd <= 2 * CONTEXT) last.push(span)
    else groups.push([span])
  }
  return groups
}

const hunkText = (before: readonly TextLine[], after: readonly TextLine[], group: readonly Span[]): string => {
  const [first, last] = [group[0] as Span, group.at(-1) as Span]
  const lead = Math.min(CONTEXT, first.from)
  const start = first.from - lead
  const end = Math.min(before.length, last.fromEnd + CONTEXT)
  const newStart = first.to - lead
  const rows: string[] = []
  let at = start
  for (const { from, fromEnd, to, toEnd } of group) {
    rows.push(
      ...before.slice(at, from).map(row(' ')),
      ...before.slice(from, fromEnd).map(row('-')),
      ...after.slice(to, toEnd).map(row('+')),
    )
    at = fromEnd
  }
  rows.push(...before.slice(at, end).map(row(' ')))
  const newEnd = last.toEnd + (end - last.fromEnd)
  return [`@@ -${range(start, end - start)} +${range(newStart, newEnd - newStart)} @@`, ...rows].join('\n')
}

const row =
  (sign: string) =>
  ({ text, end }: TextLine): string =>
    `${sign}${text}${end === '\r\n' ? '\r' : ''}${end === '' ? '\n\\ No newline at end of file' : ''}`

// For an empty range, unified diff gives the number of the line before.
const range = (start: number, length: number): string => `${length === 0 ? start : start + 1},${length}`
