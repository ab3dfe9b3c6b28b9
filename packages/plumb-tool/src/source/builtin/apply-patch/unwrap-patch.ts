// Takes off what models put around a patch: a here-document with the program that reads it, a code fence, and the words around that.

import { fail, preview, type Result, succeed } from '@plumb/wire'

export interface Unwrapped {
  /** Lines of the wrapping are empty, so that the others keep their numbers. */
  readonly lines: readonly string[]
  /** Where a `cd` before the here-document goes. */
  readonly directory: string | undefined
}

export const BEGIN = '*** Begin Patch'

/** Without what decorates the two markers. */
export const toMarker = (line: string): string => line.trim().replace(/^(\*\*\* (?:Begin|End) Patch) \*\*\*$/, '$1')

interface Wrapping {
  readonly name: string
  readonly isFence: boolean
  readonly at: number
  readonly opening: string
  readonly closes: (line: string) => boolean
  readonly closing: string
  readonly directory: string | undefined
}

const FENCE = /^(`{3,}|~{3,})[\w+-]*$/
const HERE_DOCUMENT = /^(?:cd\s+("[^"]+"|'[^']+'|[^\s"'&;|<>$`]+)\s*(?:&&|;)\s*)?(?:apply[_-]?patch\s*)?<<(-?)\s*(["']?)([A-Za-z_]\w*)\3$/

/** What is no wrapping stays, for the parser to refuse. */
export const unwrapPatch = (lines: readonly string[]): Result<Unwrapped> => {
  const begin = lines.findIndex((line) => toMarker(line) === BEGIN)
  const wrappings = begin < 0 ? [] : wrappingsBefore(lines, begin)
  const [innermost] = wrappings
  const outermost = wrappings.at(-1)
  if (!innermost || !outermost) return succeed({ lines, directory: undefined })
  const closings: number[] = []
  for (const wrapping of wrappings) {
    const closed = closingOf(wrapping, lines, closings.at(-1) ?? begin, wrapping === innermost)
    if (closed === undefined) return refuseOpen(wrapping, lines)
    closings.push(closed)
  }
  const [end = 0] = closings
  const last = closings.at(-1) ?? end
  // Words may stand around a fence; around anything else, and with a second patch in them, they are an error of the patch.
  const mayDrop = outermost.isFence && !lines.some((line, i) => i > last && toMarker(line) === BEGIN)
  const isKept = (i: number): boolean => (i > innermost.at && i < end) || (!mayDrop && (i < outermost.at || i > last))
  const [directory] = wrappings.flatMap((wrapping) => wrapping.directory ?? [])
  return succeed({ lines: lines.map((line, i) => (isKept(i) ? line : '')), directory })
}

/** From the innermost outwards. */
const wrappingsBefore = (lines: readonly string[], begin: number): Wrapping[] => {
  const found: Wrapping[] = []
  for (let at = begin - 1; at >= 0; at--) {
    const opening = (lines[at] as string).trimEnd()
    if (opening === '') continue
    const wrapping = readOpening(opening, at)
    if (!wrapping) break
    found.push(wrapping)
  }
  return found
}

const readOpening = (opening: string, at: number): Wrapping | undefined => {
  const fence = FENCE.exec(opening)?.[1]
  if (fence !== undefined) {
    const closes = (line: string): boolean => line.trimEnd() === fence
    return { name: 'a code fence', isFence: true, at, opening, closes, closing: fence, directory: undefined }
  }
  const [, named, dash, , word] = HERE_DOCUMENT.exec(opening) ?? []
  if (word === undefined) return undefined
  const closes = (line: string): boolean => (dash === '-' ? line.trim() : line.trimEnd()) === word
  const directory = named?.replace(/^(["'])(.*)\1$/, '$2')
  return { name: 'a here-document', isFence: false, at, opening, closes, closing: word, directory }
}

// That of the innermost is the first such line, since each line of a patch has a sign or is a marker; the others follow it.
const closingOf = ({ closes }: Wrapping, lines: readonly string[], from: number, isInnermost: boolean): number | undefined => {
  for (let at = from + 1; at < lines.length; at++) {
    const line = lines[at] as string
    if (closes(line)) return at
    if (!isInnermost && line.trim() !== '') return undefined
  }
  return undefined
}

const refuseOpen = ({ name, opening, closing }: Wrapping, lines: readonly string[]): ReturnType<typeof fail> => {
  const detail =
    `the patch is wrong at its end: ${name} is opened by '${preview(opening)}' and no line ` +
    `'${preview(closing)}' closes it: it may have been cut`
  return fail('patch_invalid', detail, { line: lines.findLastIndex((line) => line.trim() !== '') + 1 })
}
