// Applies the hunks of one file: from its lines to its new lines and the edits made.

import { type Result, succeed } from '@plumb/wire'
import { type TextLine, withEnds } from './lines.js'
import { locateHunk, oldLines } from './locate-hunk.js'
import { looser, type MatchLevel, SearchableLines } from './match-lines.js'
import type { Hunk } from './patch.js'
import { reindent } from './reindent.js'

/** Replaces lines `[from, from + removed.length)` of the old text by `added`. */
export interface LineEdit {
  readonly from: number
  readonly removed: readonly TextLine[]
  readonly added: readonly TextLine[]
}

export interface Applied {
  readonly lines: readonly TextLine[]
  /** In file order. */
  readonly edits: readonly LineEdit[]
  /** The loosest match that was needed. */
  readonly rung: MatchLevel
}

export const applyHunks = (path: string, lines: readonly TextLine[], hunks: readonly Hunk[]): Result<Applied> => {
  const text = new SearchableLines(lines)
  const edits: LineEdit[] = []
  let cursor = 0
  let rung: MatchLevel = 'exact'
  for (const [i, hunk] of hunks.entries()) {
    const search = { path, text, hunk, number: i + 1 }
    const placed = locateHunk(search, cursor)
    if (!placed.ok) return placed
    const indented = reindent(placed.value, search)
    if (!indented.ok) return indented
    const { at } = placed.value
    rung = looser(rung, placed.value.rung)
    edits.push(...toEdits(indented.value, lines, at))
    const taken = oldLines(placed.value.hunk).length
    // An insertion at the end says nothing about the position of the next hunk.
    if (taken > 0 || at < lines.length) cursor = at + taken
  }
  const inOrder = edits.sort((a, b) => a.from - b.from)
  return succeed({ lines: withEnds(withEdits(lines, inOrder), lines), edits: inOrder, rung })
}

// Context keeps the text of the file; a new line takes the line ending of its neighbour.
const toEdits = (hunk: Hunk, lines: readonly TextLine[], at: number): LineEdit[] => {
  const edits: { from: number; removed: TextLine[]; added: TextLine[] }[] = []
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
    if (sign === '-') open.removed.push(lines[index++] as TextLine)
    else open.added.push({ text, end: endBeside(lines, open.from) })
  }
  return edits
}

const endBeside = (lines: readonly TextLine[], at: number): string => lines[at]?.end || lines[at - 1]?.end || ''

const withEdits = (lines: readonly TextLine[], edits: readonly LineEdit[]): TextLine[] => {
  const parts: (readonly TextLine[])[] = []
  let at = 0
  for (const { from, removed, added } of edits) {
    parts.push(lines.slice(at, from), added)
    at = from + removed.length
  }
  return [...parts, lines.slice(at)].flat()
}
