// Locates a hunk in a file, or explains why it does not fit so that its author can correct it.

import { fail, preview, type Result, succeed } from '@plumb/wire'
import { looser, type MatchLevel, type SearchableLines } from './match-lines.js'
import type { Hunk } from './patch.js'

export interface HunkSearch {
  readonly path: string
  readonly text: SearchableLines
  readonly hunk: Hunk
  /** Number of the hunk within its file, from 1. */
  readonly number: number
}

export interface LocatedHunk {
  /** The hunk, possibly without trailing empty lines. */
  readonly hunk: Hunk
  /** Index of the line at which it begins. */
  readonly at: number
  /** The looser of the matches of its lines and its anchors. */
  readonly rung: MatchLevel
}

export const oldLines = ({ lines }: Hunk): string[] => lines.filter(({ sign }) => sign !== '+').map(({ text }) => text)
const newLines = ({ lines }: Hunk): string[] => lines.filter(({ sign }) => sign !== '-').map(({ text }) => text)

/** Searches from `cursor`, where the previous hunk ended. */
export const locateHunk = (search: HunkSearch, cursor: number): Result<LocatedHunk> => {
  const { hunk, text } = search
  const anchored = followAnchors(search, cursor)
  if (!anchored.ok) return anchored
  const { from, rung, isAnchored } = anchored.value
  if (oldLines(hunk).length === 0) return succeed({ hunk, at: isAnchored && !hunk.isAtEnd ? from : text.lines.length, rung })
  for (const variant of variantsOf(hunk)) {
    // An anchor may also be the first line of the context.
    const starts = isAnchored ? [from, from - 1] : [from]
    for (const start of starts) {
      const found = text.find(oldLines(variant), start, variant.isAtEnd)
      if (!found) continue
      const [at = 0, second] = found.places
      if (second !== undefined && !isAnchored) return refuseAmbiguous(search, found.places)
      return succeed({ hunk: variant, at, rung: looser(rung, found.rung) })
    }
  }
  return refuseNotFound(search, from)
}

const followAnchors = (looking: HunkSearch, cursor: number): Result<{ from: number; rung: MatchLevel; isAnchored: boolean }> => {
  let from = cursor
  let rung: MatchLevel = 'exact'
  for (const anchor of looking.hunk.anchors) {
    const found = looking.text.find([anchor], from) ?? looking.text.find([anchor.replace(/ @@$/, '')], from)
    if (!found) return refuseAnchor(looking, anchor, from)
    from = (found.places[0] ?? 0) + 1
    // Anchors are written without indentation, so white space does not count as a looser match.
    if (found.rung === 'quotes and dashes') rung = found.rung
  }
  return succeed({ from, rung, isAnchored: looking.hunk.anchors.length > 0 })
}

const MAX_VARIANTS = 8

// Empty lines at the end of a hunk may be separators, so the hunk is also tried without them.
const variantsOf = (hunk: Hunk): Hunk[] => {
  const variants = [hunk]
  let { lines } = hunk
  for (let last = lines.at(-1); last?.sign === ' ' && last.text === '' && variants.length < MAX_VARIANTS; last = lines.at(-1)) {
    lines = lines.slice(0, -1)
    variants.push({ ...hunk, lines })
  }
  return variants.filter((variant) => oldLines(variant).length > 0)
}

const extrasOf = ({ path, hunk, number }: HunkSearch) => ({ path: preview(path, 200), hunk: number, line: hunk.line })
const MAX_EXPECTED = 12

const refuseNotFound = (looking: HunkSearch, from: number): ReturnType<typeof fail> => {
  const wanted = oldLines(looking.hunk)
  return fail(
    'context_not_found',
    `hunk ${looking.number} of '${preview(looking.path, 200)}': its lines ${whyNot(looking, wanted, from)}`,
    {
      ...extrasOf(looking),
      expected: wanted.slice(0, MAX_EXPECTED),
      nearest: looking.text.nearest(wanted),
    },
  )
}

const whyNot = ({ text, hunk }: HunkSearch, wanted: readonly string[], from: number): string => {
  if (text.find(newLines(hunk), 0, hunk.isAtEnd)) {
    return 'are not in the file; what they would become is there already, so the hunk may have been applied before'
  }
  const elsewhere = text.find(wanted, 0)?.places[0]
  if (elsewhere === undefined && isDiffHeader(hunk)) return "are the headers of a diff: leave out '---' and '+++'"
  if (elsewhere === undefined) return 'are not in the file as the patch has them: read it and give its own lines'
  if (elsewhere < from) return `are on line ${elsewhere + 1}, before the place where the search began: hunks are in the order of the file`
  return `are on line ${elsewhere + 1}, and not the last of the file`
}

const isDiffHeader = ({ lines: [first, second] }: Hunk): boolean =>
  first?.sign === '-' && first.text.startsWith('-- ') && second?.sign === '+' && second.text.startsWith('++ ')

const refuseAmbiguous = (looking: HunkSearch, places: readonly number[]): ReturnType<typeof fail> => {
  const numbers = places.map((at) => at + 1)
  const detail = `hunk ${looking.number} of '${preview(looking.path, 200)}' fits on lines ${numbers.join(', ')}`
  return fail('context_ambiguous', `${detail}: give more lines around it, or an anchor behind '@@'`, {
    ...extrasOf(looking),
    candidates: numbers,
  })
}

const refuseAnchor = (looking: HunkSearch, anchor: string, from: number): ReturnType<typeof fail> => {
  const where = from === 0 ? '' : ` behind line ${from}`
  return fail(
    'context_not_found',
    `hunk ${looking.number} of '${preview(looking.path, 200)}': no line${where} is the anchor ` +
      `'${preview(anchor)}': give a whole line of the file, or one behind each '@@'`,
    { ...extrasOf(looking), expected: [anchor], nearest: looking.text.findSimilar(anchor) },
  )
}
