// One file's lines and its hunks → its new lines, and what was edited.

import { type Result, succeed } from '@plumb/wire'
import { type Line, withEnds } from './lines.js'
import { oldLines, placeHunk } from './locate-hunk.js'
import { lower, type Rung, Text } from './match-lines.js'
import type { Hunk } from './patch.js'
import { reindent } from './reindent.js'

/** Lines `[from, from + removed.length)` of the old text give way to `added`. */
export interface Edit {
  readonly from: number
  readonly removed: readonly Line[]
  readonly added: readonly Line[]
}

export interface Applied {
  readonly lines: readonly Line[]
  /** In the order of the file. */
  readonly edits: readonly Edit[]
  /** The lowest rung that was needed. */
  readonly rung: Rung
}

export const applyHunks = (path: string, lines: readonly Line[], hunks: readonly Hunk[]): Result<Applied> => {
  const text = new Text(lines)
  const edits: Edit[] = []
  let cursor = 0
  let rung: Rung = 'exact'
  for (const [i, hunk] of hunks.entries()) {
    const looking = { path, text, hunk, number: i + 1 }
    const placed = placeHunk(looking, cursor)
    if (!placed.ok) return placed
    const indented = reindent(placed.value, looking)
    if (!indented.ok) return indented
    const { at } = placed.value
    rung = lower(rung, placed.value.rung)
    edits.push(...toEdits(indented.value, lines, at))
    const taken = oldLines(placed.value.hunk).length
    // What is put at the end says nothing about where the next hunk is.
    if (taken > 0 || at < lines.length) cursor = at + taken
  }
  const inOrder = edits.sort((a, b) => a.from - b.from)
  return succeed({ lines: withEnds(withEdits(lines, inOrder), lines), edits: inOrder, rung })
}

// Context keeps the file's own text; a new line ends as its neighbour does.
const toEdits = (hunk: Hunk, lines: readonly Line[], at: number): Edit[] => {
  const edits: { from: number; removed: Line[]; added: Line[] }[] = []
  let index = at
  let open: (typeof edits)[number] | undefined
  for (const { sign, text } of hunk.lines) {
    if (sign === ' ') {
      open = undefined
      index++
      continue
    }
    if (!open) {
      open = { from: index, removed: [], added: [] }
      edits.push(open)
    }
    if (sign === '-') open.removed.push(lines[index++] as Line)
    else open.added.push({ text, end: endBeside(lines, open.from) })
  }
  return edits
}

const endBeside = (lines: readonly Line[], at: number): string => lines[at]?.end || lines[at - 1]?.end || ''

const withEdits = (lines: readonly Line[], edits: readonly Edit[]): Line[] => {
  const parts: (readonly Line[])[] = []
  let at = 0
  for (const { from, removed, added } of edits) {
    parts.push(lines.slice(at, from), added)
    at = from + removed.length
  }
  return [...parts, lines.slice(at)].flat()
}
