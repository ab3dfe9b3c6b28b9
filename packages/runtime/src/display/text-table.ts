// Rows as a table of text: names to the left, numbers to the right.

import { escapeControls } from '@plumb/wire'

export interface TableOptions {
  /** How many of the first columns are names. */
  readonly names?: number
  readonly width?: number
}

const GAP = '  '
const MIN_NAME_WIDTH = 8

/** The first row has the titles. Columns that are empty below are left out, and from the right those that do not fit into `width`. */
export const textTable = (rows: readonly (readonly string[])[], options: TableOptions = {}): string[] => {
  const { names = 1, width = Number.POSITIVE_INFINITY } = options
  const clean = rows.map((row) => row.map(escapeControls))
  const isUsed = (clean[0] ?? []).map((_, i) => i === 0 || clean.slice(1).some((row) => row[i] !== ''))
  const used = clean.map((row) => row.filter((_, i) => isUsed[i]))
  const wide = (used[0] ?? []).map((_, i) => Math.max(...used.map((row) => [...(row[i] ?? '')].length)))
  const [first = 0, ...others] = wide
  const widthOf = (n: number) => others.slice(0, n).reduce((sum, each) => sum + each + GAP.length, 0)
  let kept = others.length
  while (kept > 0 && widthOf(kept) + Math.min(first, MIN_NAME_WIDTH) > width) kept--
  const nameWidth = Math.max(1, Math.min(first, width - widthOf(kept)))
  const placed = (cell: string, i: number) => (i + 1 < names ? cell.padEnd(others[i] as number) : cell.padStart(others[i] as number))
  return used.map(([name = '', ...cells]) => [fitWidth(name, nameWidth), ...cells.slice(0, kept).map(placed)].join(GAP).trimEnd())
}

/** Cuts the text or fills it with spaces, to `width` characters. */
export const fitWidth = (text: string, width: number): string => {
  const characters = [...escapeControls(text)]
  return characters.length > width ? `${characters.slice(0, Math.max(0, width - 1)).join('')}…` : characters.join('').padEnd(width)
}
