// Locates a hunk in a file, or explains why it does not fit so that its author can correct it.

import { fail, preview, type Result, succeed } from '@plumb/wire'
import { looser, MATCH_LEVELS, MAX_SHOWN, type MatchLevel, type SearchableLines } from './match-lines.js'
import type { Hunk } from './patch.js'
import { showDifference } from './show-difference.js'

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
  for (const level of MATCH_LEVELS) {
    for (const variant of variantsOf(hunk)) {
      const looking = { variant, level, from, isAnchored }
      const places = placesOf(text, looking)
      const [at] = places
      if (at === undefined) continue
      const rivals = isAnchored ? earlierThan(at, search, looking) : [...places, ...bareEndPlaces(search, looking)]
      const all = [...new Set([at, ...rivals])]
      return all.length === 1 ? succeed({ hunk: variant, at, rung: looser(rung, level) }) : refuseAmbiguous(search, all)
    }
  }
  return refuseNotFound(search, { from, cursor })
}

interface Looking {
  readonly variant: Hunk
  readonly level: MatchLevel
  readonly from: number
  readonly isAnchored: boolean
}

// An anchor may also be the first line of the context.
const placesOf = (text: SearchableLines, { variant, level, from, isAnchored }: Looking): readonly number[] => {
  const wanted = oldLines(variant)
  const places = text.findAt(level, wanted, from, variant.isAtEnd)
  if (places.length > 0 || !isAnchored) return places
  return text.findAt(level, wanted, from - 1, variant.isAtEnd).slice(0, 1)
}

// Entirely empty lines at the end of a hunk are context, or part it from the next: where that matters, nobody knows which place is meant.
const bareEndPlaces = ({ text, hunk }: HunkSearch, { level, from }: Looking): readonly number[] => {
  const end = hunk.lines.findLastIndex(({ isBare }) => !isBare) + 1
  if (end === hunk.lines.length || hunk.isAtEnd) return []
  return text.findAt(level, oldLines({ ...hunk, lines: hunk.lines.slice(0, end) }), from)
}

// Behind an anchor the first place counts. The anchor itself is one if its line is also the first of the hunk.
const earlierThan = (at: number, search: HunkSearch, looking: Looking): number[] => {
  const { from, variant } = looking
  const isAnchorToo = at > from && search.text.isAt(oldLines(variant), from - 1)
  const [bare = at] = bareEndPlaces(search, looking)
  return [...(isAnchorToo ? [from - 1] : []), ...(bare < at && at >= from ? [bare] : [])]
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

// Entirely empty lines at the end of a hunk may be separators, so the hunk is also tried without them.
const variantsOf = (hunk: Hunk): Hunk[] => {
  const variants = [hunk]
  let { lines } = hunk
  for (let last = lines.at(-1); last?.isBare && variants.length < MAX_VARIANTS; last = lines.at(-1)) {
    lines = lines.slice(0, -1)
    variants.push({ ...hunk, lines })
  }
  return variants.filter((variant) => oldLines(variant).length > 0)
}

const extrasOf = ({ path, hunk, number }: HunkSearch) => ({ path: preview(path, 200), hunk: number, line: hunk.line })
/** Lines that are shown before the first that differs. */
const LEAD = 3

interface Searched {
  /** Where the search began: behind the hunk before, or behind an anchor. */
  readonly from: number
  /** Where the hunk before ended. */
  readonly cursor: number
}

const refuseNotFound = (looking: HunkSearch, searched: Searched): ReturnType<typeof fail> => {
  const wanted = oldLines(looking.hunk)
  const near = looking.text.nearest(wanted)
  const first = near === undefined || near.differs < MAX_SHOWN ? 0 : near.differs - LEAD
  const expected = wanted.slice(first, first + MAX_SHOWN)
  return fail(
    'context_not_found',
    `hunk ${looking.number} of '${preview(looking.path, 200)}': its lines ${whyNot(looking, wanted, searched)}`,
    {
      ...extrasOf(looking),
      expected,
      nearest: near === undefined ? [] : looking.text.shown(near.at + first, expected.length),
    },
  )
}

const whyNot = (looking: HunkSearch, wanted: readonly string[], { from, cursor }: Searched): string => {
  const { text, hunk } = looking
  if (text.find(newLines(hunk), 0, hunk.isAtEnd)) {
    return 'are not in the file; what they would become is there already, so the hunk may have been applied before'
  }
  const elsewhere = text.find(wanted, 0)?.places[0]
  if (elsewhere === undefined && isDiffHeader(hunk)) return "are the headers of a diff: leave out '---' and '+++'"
  if (elsewhere === undefined)
    return `are not in the file as the patch has them${differenceIn(looking, wanted)}: read it and give its own lines`
  if (elsewhere < cursor && elsewhere + wanted.length > cursor && cursor > 0)
    return `begin on line ${elsewhere + 1}, which the hunk before holds too: hunks may not overlap, make them one`
  if (elsewhere < from) return `are on line ${elsewhere + 1}, before the place where the search began: hunks stand in the order of the file`
  return `are on line ${elsewhere + 1}, and not the last of the file`
}

// The first line that differs, with its number in the file and in the patch.
const differenceIn = ({ text, hunk }: HunkSearch, wanted: readonly string[]): string => {
  const near = text.nearest(wanted)
  if (!near) return ''
  const has = wanted[near.differs]
  const line = hunk.lines.flatMap(({ sign }, i) => (sign === '+' ? [] : [hunk.first + i]))[near.differs]
  if (has === undefined || line === undefined) return ''
  const where = near.at + near.differs
  const found = text.lines[where]
  if (!found) return `: the file has no line ${where + 1}, for line ${line} of the patch, '${preview(has)}'`
  const { a, b, which } = showDifference(found.text, has)
  return `: line ${where + 1} of the file is '${a}', line ${line} of the patch '${b}'${which}`
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
