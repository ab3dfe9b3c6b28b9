// Rows as a table of text: names to the left, numbers to the right.

import { escapeControls, padWidth, textWidth } from '@plumb/wire'

export interface TableOptions {
  /** How many of the first columns are names. */
  readonly names?: number
  readonly width?: number
  /** Cells that the first column keeps, if it needs them, before any other; 8. */
  readonly leastName?: number
}

const GAP = '  '
const MIN_NAME_WIDTH = 8

/** The first row has the titles. Columns that are empty below are left out, and from the right those that do not fit into `width`. */
export const textTable = (rows: readonly (readonly string[])[], options: TableOptions = {}): string[] => {
  const { names = 1, width = Number.POSITIVE_INFINITY, leastName = MIN_NAME_WIDTH } = options
  const clean = rows.map((row) => row.map(escapeControls))
  const isUsed = (clean[0] ?? []).map((_, i) => i === 0 || clean.slice(1).some((row) => row[i] !== ''))
  const used = clean.map((row) => row.filter((_, i) => isUsed[i]))
  const wide = (used[0] ?? []).map((_, i) => Math.max(...used.map((row) => textWidth(row[i] ?? ''))))
  const [first = 0, ...others] = wide
  const widthOf = (n: number) => others.slice(0, n).reduce((sum, each) => sum + each + GAP.length, 0)
  let kept = others.length
  while (kept > 0 && widthOf(kept) + Math.min(first, leastName) > width) kept--
  const nameWidth = Math.max(1, Math.min(first, width - widthOf(kept)))
  const placed = (cell: string, i: number) => {
    const size = others[i] as number
    return i + 1 < names ? padWidth(cell, size) : ' '.repeat(Math.max(0, size - textWidth(cell))) + cell
  }
  return used.map(([name = '', ...cells]) => [fitWidth(name, nameWidth), ...cells.slice(0, kept).map(placed)].join(GAP).trimEnd())
}

/** The end of a text that is longer than `width` cells. */
export const endOf = (text: string, width: number): string => {
  const clean = escapeControls(text)
  if (textWidth(clean) <= width) return clean
  let tail = ''
  for (const character of [...clean].reverse()) {
    if (textWidth(character + tail) > width - 1) break
    tail = character + tail
  }
  return `…${tail}`
}

/** Cuts the text or fills it with spaces, to `width` cells. */
export const fitWidth = (text: string, width: number): string => {
  const clean = escapeControls(text)
  if (textWidth(clean) <= width) return padWidth(clean, width)
  let head = ''
  for (const character of clean) {
    if (textWidth(head + character) > width - 1) break
    head += character
  }
  return padWidth(`${head}…`, width)
}
