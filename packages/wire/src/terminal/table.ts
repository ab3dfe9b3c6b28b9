// Rows as a table for a person who decides by it: cells are wrapped at words and never cut.

import { escapeControls } from '../preview.js'
import { paint } from './style.js'
import { padWidth, textWidth, wrapWords } from './width.js'

export interface WrappedTableOptions {
  /** Of the terminal. */
  readonly width: number
  /** Titles of columns that hold numbers, which stand to the right. */
  readonly numbers?: readonly string[]
  /** The titles are bold. */
  readonly isStyled?: boolean
}

const GAP = '  '
/** Columns that are wider give way first: names, ids and times stay whole where they can. */
const STEPS = [20, 12, 8, 1]

/** The first row has the titles. A column that is empty below its title is left out. What a terminal obeys or hides is escaped. */
export const wrappedTable = (
  rows: readonly (readonly string[])[],
  { width, numbers = [], isStyled = false }: WrappedTableOptions,
): string[] => {
  const clean = rows.map((row) => row.map(escapeControls))
  const used = (clean[0] ?? []).flatMap((_, i) => (i === 0 || clean.slice(1).some((row) => row[i] !== '') ? [i] : []))
  const cells = clean.map((row) => used.map((i) => row[i] ?? ''))
  const [titles = []] = cells
  const widths = fit(
    titles.map((_, i) => Math.max(...cells.map((row) => textWidth(row[i] ?? '')))),
    width - GAP.length * (titles.length - 1),
  )
  return cells.flatMap((row, at) => {
    const wrapped = row.map((cell, i) => wrapWords(cell, widths[i] ?? 1))
    const lines = Array.from({ length: Math.max(...wrapped.map(({ length }) => length)) }, (_, n) =>
      wrapped
        .map((lines, i) => {
          const [line = '', size = 0] = [lines[n], widths[i]]
          return numbers.includes(titles[i] ?? '') ? ' '.repeat(Math.max(0, size - textWidth(line))) + line : padWidth(line, size)
        })
        .join(GAP)
        .trimEnd(),
    )
    return isStyled && at === 0 ? lines.map((line) => paint('bold', line)) : lines
  })
}

// The widest give way first.
const fit = (natural: readonly number[], room: number): number[] => {
  const widths = [...natural]
  const sum = () => widths.reduce((a, b) => a + b, 0)
  for (const least of STEPS) {
    while (sum() > room && Math.max(...widths) > least) {
      const widest = widths.indexOf(Math.max(...widths))
      widths[widest] = Math.max(least, (widths[widest] as number) - Math.min(sum() - room, 4))
    }
  }
  return widths
}
