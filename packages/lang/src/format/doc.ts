// Text that may be laid out in more than one way: pieces, places where a line may end, and groups that are on one line or on several.

export type Doc = string | readonly Doc[] | Line | Group | Indent | Suffix | DocChoice | CommentText

/** In a group on one line it reads `flat`; else, and always when it is hard, it ends the line, with an empty line when `isBlank`. */
export interface Line {
  readonly kind: 'line'
  readonly flat: '' | ' '
  readonly isHard: boolean
  readonly isBlank: boolean
}
/** On one line if that fits and nothing within must break; else every line in it (but not in groups within) ends. */
export interface Group {
  readonly kind: 'group'
  readonly doc: Doc
  readonly mustBreak: boolean
}
export interface Indent {
  readonly kind: 'indent'
  readonly doc: Doc
  readonly mustBreak: boolean
}
/** Stands at the end of a line, and may go over the width. */
export interface Suffix {
  readonly kind: 'suffix'
  readonly doc: Doc
}
/** What a group holds only on several lines, or only on one. */
export interface DocChoice {
  readonly kind: 'choice'
  readonly broken: Doc
  readonly flat: Doc
}
/** A comment with its inner lines, which keep their place below the first when `isShifted`, and else their text. */
export interface CommentText {
  readonly kind: 'comment'
  readonly first: string
  readonly rest: readonly string[]
  readonly isShifted: boolean
}

export type LineKind = '' | ' ' | 'hard'

export const line = (kind: LineKind, isBlank = false): Line => ({
  kind: 'line',
  flat: kind === 'hard' ? '' : kind,
  isHard: kind === 'hard',
  isBlank,
})

export const group = (doc: Doc, mustBreak = false): Group => ({ kind: 'group', doc, mustBreak: mustBreak || breaks(doc) })

export const indent = (doc: Doc): Indent => ({ kind: 'indent', doc, mustBreak: breaks(doc) })

export const suffix = (doc: Doc): Suffix => ({ kind: 'suffix', doc })

export const docChoice = (broken: Doc, flat: Doc): DocChoice => ({ kind: 'choice', broken, flat })

export const isList = (doc: Doc): doc is readonly Doc[] => Array.isArray(doc)

// A line end that is there whatever the width.
const breaks = (doc: Doc): boolean => {
  if (typeof doc === 'string') return false
  if (isList(doc)) return doc.some(breaks)
  if (doc.kind === 'group' || doc.kind === 'indent') return doc.mustBreak
  if (doc.kind === 'line') return doc.isHard
  if (doc.kind === 'comment') return doc.rest.length > 0
  return breaks(doc.kind === 'suffix' ? doc.doc : doc.flat)
}
