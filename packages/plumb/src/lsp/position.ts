// Offsets in a text ⇄ the protocol's positions: lines and characters from 0, characters in UTF-16 units. A line ends with LF, CRLF or CR.

import type { Position, Range } from 'vscode-languageserver-protocol/node'

/** A position beyond the end of its line is that end, one beyond the text the end of the text. */
export const offsetAt = (text: string, { line, character }: Position): number => {
  const start = lineStarts(text)[line]
  if (start === undefined) return text.length
  const end = text.slice(start).search(/[\r\n]/)
  return Math.min(start + character, end < 0 ? text.length : start + end)
}

const positionAt = (text: string, offset: number): Position => {
  const starts = lineStarts(text)
  const line = Math.max(
    0,
    starts.findLastIndex((start) => start <= offset),
  )
  return { line, character: offset - (starts[line] ?? 0) }
}

export const rangeOf = (text: string, { start, end }: { readonly start: number; readonly end: number }): Range => ({
  start: positionAt(text, start),
  end: positionAt(text, end),
})

// Requests ask for many positions of one text in a row.
let last: { readonly text: string; readonly starts: readonly number[] } = { text: '', starts: [0] }

const lineStarts = (text: string): readonly number[] => {
  if (last.text !== text) last = { text, starts: [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map((end) => end.index + end[0].length)] }
  return last.starts
}
