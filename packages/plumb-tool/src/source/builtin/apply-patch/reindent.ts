// Indents the added lines of a hunk like the file, if the hunk matched only without regard for indentation.

import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { TextLine } from './lines.js'
import type { HunkSearch, LocatedHunk } from './locate-hunk.js'
import { MAX_SHOWN } from './match-lines.js'
import type { Hunk, HunkLine } from './patch.js'

/** A difference in indentation: the patch has `patch` where the file has `file`. */
interface Shift {
  readonly patch: string
  readonly file: string
  /** Line of the file, from 0. */
  readonly at: number
}

/** Returns the hunk unchanged if the indentation agrees or no line is added. Fails if lines differ in different ways. */
export const reindent = ({ hunk, at, rung }: LocatedHunk, search: HunkSearch): Result<Hunk> => {
  const isAsWritten = rung === 'exact' || rung === 'trailing white space'
  if (isAsWritten || !hunk.lines.some(({ sign }) => sign === '+')) return succeed(hunk)
  const shifts = shiftsOf(hunk, search.text.lines, at)
  const [shift] = shifts
  if (!shift) return succeed(hunk)
  const other = shifts.find(({ patch, file }) => patch !== shift.patch || file !== shift.file)
  if (other) return refuse(search, `line ${shift.at + 1} of the file ${differsBy(shift)}, line ${other.at + 1} ${differsBy(other)}`)
  const lines: HunkLine[] = []
  for (const line of hunk.lines) {
    const isShifted = line.sign === '+' && line.text.trim() !== ''
    if (isShifted && !line.text.startsWith(shift.patch))
      return refuse(search, `the file is indented by ${sized(shift.patch)} less, and '${preview(line.text)}' has not as many to take away`)
    lines.push(isShifted ? { sign: '+', text: shift.file + line.text.slice(shift.patch.length) } : line)
  }
  return succeed({ ...hunk, lines })
}

/** The shifts of all matched lines that are not empty. */
const shiftsOf = ({ lines }: Hunk, file: readonly TextLine[], at: number): Shift[] =>
  lines
    .filter(({ sign }) => sign !== '+')
    .flatMap(({ text }, i) => {
      const found = file[at + i]?.text ?? ''
      return text.trim() === '' || found.trim() === '' ? [] : [shiftOf(text, found, at + i)]
    })

const shiftOf = (text: string, found: string, at: number): Shift => {
  const [patch, file] = [indentOf(text), indentOf(found)]
  let same = 0
  while (same < Math.min(patch.length, file.length) && patch.at(-1 - same) === file.at(-1 - same)) same++
  return { patch: patch.slice(0, patch.length - same), file: file.slice(0, file.length - same), at }
}

const indentOf = (text: string): string => text.slice(0, text.length - text.trimStart().length)

const differsBy = ({ patch, file }: Shift): string => {
  if (patch === file) return 'is indented as the patch has it'
  if (patch === '') return `has ${sized(file)} more than the patch`
  return file === '' ? `has ${sized(patch)} less than the patch` : `has ${sized(file)} where the patch has ${sized(patch)}`
}

const sized = (indent: string): string => {
  const kind = /^ *$/.test(indent) ? 'space' : /^\t*$/.test(indent) ? 'tab' : 'character'
  return `${indent.length} ${kind}${indent.length === 1 ? '' : 's'}`
}

const refuse = ({ path, hunk, number, text }: HunkSearch, why: string): ReturnType<typeof fail> => {
  const old = hunk.lines.filter(({ sign }) => sign !== '+').map((line) => line.text)
  return fail(
    'context_not_found',
    `hunk ${number} of '${preview(path, 200)}' is not indented as the file, so that its '+' ` +
      `lines have no place: ${why}; give its lines with the white space of the file`,
    {
      path: preview(path, 200),
      hunk: number,
      line: hunk.line,
      nearest: text.shown(text.nearest(old)?.at ?? 0, Math.min(old.length, MAX_SHOWN)),
    },
  )
}
