// The tables and totals of a run in the styles of a terminal: dim titles, bold totals, and what has failed in red.

import type { Style, Styled } from '@plumb/wire'

/** Titles of columns that count what has failed. */
const FAILED = ['failed calls', 'failed', 'errors']

/** The rows of a table, the first of which has the titles; numbers stand to the right, below the end of their title. */
export const styledTable = (lines: readonly string[]): readonly Styled[] => {
  const [titles = '', ...rows] = lines
  const ends = FAILED.flatMap((title) => {
    const at = new RegExp(`(?<= {2})${title}(?= {2}|$)`).exec(titles)?.index
    return at === undefined ? [] : [at + title.length]
  }).sort((a, b) => a - b)
  return [[['dim', titles]], ...rows.map((row) => styledRow(row, ends))]
}

const styledRow = (row: string, ends: readonly number[]): Styled => {
  const parts: (string | readonly [Style, string])[] = []
  let at = 0
  for (const end of ends) {
    // Of empty cells at its end a row has nothing.
    if (row.length < end) break
    const [cell = ''] = /\S*$/.exec(row.slice(at, end)) ?? []
    parts.push(row.slice(at, end - cell.length), ['error', cell])
    at = end
  }
  return [...parts, row.slice(at)]
}

/** `30 in, 27 out, 3 errors, …, 84 tool calls, 16 failed`. */
export const styledTotals = (line: string): Styled =>
  line.split(/(\S+ errors?\b|\S+ failed\b)/).map((part, i) => [i % 2 === 0 ? 'bold' : 'error', part] as const)
