// find_and_replace: replaces an exact piece of text; several matches are an error without `all`.

import { resolvePath } from '@plumb/sandbox'
import { fail, preview, succeed } from '@plumb/wire'
import { editTool } from './edit-tool.js'
import { FoldedText, type LineEnd, lineEndsAt, withLineEnds } from './line-ends.js'
import type { ChangeInput } from './path-input.js'
import { MAX_EDITED_BYTES, readTextFile, writeText } from './text-file.js'

interface Input extends ChangeInput {
  readonly find: string
  readonly replace: string
  readonly all?: boolean
}

export const findAndReplace = editTool<Input>(async (input, context) => {
  const { path, all = false, expect_sha256, root } = input
  if (input.find === '') return fail('input_type_mismatch', "'find' is empty: give the exact text that is to be replaced")
  if (input.find === input.replace) return fail('input_type_mismatch', "'replace' is the same as 'find': nothing would change")
  const resolved = resolvePath(path, 'edit', context, root)
  if (!resolved.ok) return resolved
  const { shown } = resolved.value
  const old = await readTextFile(resolved.value, expect_sha256)
  if (!old.ok) return old
  const { text, hasMark } = old.value
  const { find, replace, isAtStart } = withoutMark(input, hasMark)
  const places = find === '' ? [] : findAll(text, find, replace).filter(({ from }) => !isAtStart || from === 0)
  if (places.length === 0) return refuseNotFound(shown, find, text)
  const [first] = places
  const second = places[1]?.from ?? (first && !isAtStart ? overlapping(text, find, first) : undefined)
  if (first && second !== undefined && !all) {
    const starts = places.length === 1 ? [first.from, second] : places.map(({ from }) => from)
    return refuseAmbiguous(shown, starts, text)
  }
  const length = text.length + places.length * (replace.length - find.length)
  if (length > MAX_EDITED_BYTES) return fail('input_type_mismatch', `'${preview(shown, 200)}' would grow to ${length} characters`)
  const written = await writeText(resolved.value, replaced(text, places, replace), { expect: old.value.stamp, hasMark })
  return written.ok ? succeed({ path: shown, replaced: places.length, sha256: written.value.sha256 }) : written
})

// The byte-order mark that `read_file` gives is not part of the text, and stays.
const withoutMark = ({ find, replace }: Input, hasMark: boolean) => {
  const isAtStart = hasMark && find.startsWith('\ufeff')
  return isAtStart ? { find: find.slice(1), replace: replace.replace(/^\ufeff/, ''), isAtStart } : { find, replace, isAtStart }
}

interface Span {
  readonly from: number
  readonly to: number
}

interface Place extends Span {
  /** The line end of what is put there; undefined: as it was written. */
  readonly end: LineEnd | undefined
}

// Text is found with either line end, unless a line end is what is looked for, or what is to be changed.
const findAll = (text: string, find: string, replace: string): Place[] => {
  const isOfEnds = withLineEnds(find, '\n') === withLineEnds(replace, '\n')
  const exact = isOfEnds || find.includes('\r') || !find.includes('\n') ? findExact(text, find) : []
  if (isOfEnds || (find.includes('\r') && exact.length > 0)) return exact.map((span) => ({ ...span, end: undefined }))
  const spans = find.includes('\n') ? findFolded(text, find) : exact
  const endAt = lineEndsAt(text)
  return spans.map((span) => ({ ...span, end: endAt(span.from) }))
}

const findExact = (text: string, find: string): Span[] => {
  const spans: Span[] = []
  for (let at = text.indexOf(find); at >= 0; at = text.indexOf(find, at + find.length)) spans.push({ from: at, to: at + find.length })
  return spans
}

const findFolded = (text: string, find: string): Span[] => {
  const folded = new FoldedText(text)
  const spans = findExact(folded.folded, withLineEnds(find, '\n'))
  return spans.map(({ from, to }) => ({ from: folded.toOriginal(from), to: folded.toOriginal(to) }))
}

// Such as that of the second 'aba' in 'ababa', behind the first.
const overlapping = (text: string, find: string, { from, to }: Span): number | undefined => {
  const around = new FoldedText(text.slice(from, to + 2 * find.length))
  const at = around.folded.indexOf(withLineEnds(find, '\n'), 1)
  return at < 0 ? undefined : from + around.toOriginal(at)
}

const replaced = (text: string, places: readonly Place[], replace: string): string => {
  const parts: string[] = []
  let at = 0
  for (const { from, to, end } of places) {
    parts.push(text.slice(at, from), withLineEnds(replace, end))
    at = to
  }
  return parts.join('') + text.slice(at)
}

const refuseNotFound = (shown: string, find: string, text: string): ReturnType<typeof fail> => {
  const isNear = find.trim() !== '' && new FoldedText(text).folded.includes(withLineEnds(find.trim(), '\n'))
  const hint = isNear ? '; without the white space around it it is there' : ''
  return fail('input_type_mismatch', `'${preview(shown, 200)}' does not hold '${preview(find)}'${hint}: read it and give the exact text`, {
    path: preview(shown, 200),
  })
}

const MAX_LINES = 20

const refuseAmbiguous = (shown: string, places: readonly number[], text: string): ReturnType<typeof fail> => {
  const lines = [...new Set(lineNumbersAt(text, places))]
  const listed = lines.slice(0, MAX_LINES).join(', ') + (lines.length > MAX_LINES ? `, … (${lines.length} lines)` : '')
  const detail = `the text is in '${preview(shown, 200)}' ${places.length} times, on lines ${listed}`
  return fail('input_type_mismatch', `${detail}: give more of what is around it, use apply_patch, or say all: true`, {
    path: preview(shown, 200),
    lines: lines.slice(0, MAX_LINES),
  })
}

/** Line numbers from 1, in one pass over the text. */
const lineNumbersAt = (text: string, places: readonly number[]): number[] => {
  let line = 1
  let end = text.indexOf('\n')
  return places.map((resolved) => {
    for (; end >= 0 && end < resolved; end = text.indexOf('\n', end + 1)) line++
    return line
  })
}
