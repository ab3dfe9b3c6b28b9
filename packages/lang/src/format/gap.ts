// What is between two tokens, comments and line ends, and how it is laid out where a line may end and where it may not.
//
//   place of a comment                           on several lines it is
//   after a token, with a line end after it     after that token
//   on a line of its own                         on a line of its own
//   before a token on its line                   before that token

import { type CommentText, type Doc, docChoice, type LineKind, line, suffix } from './doc.js'

export interface Gap {
  readonly comments: readonly { readonly text: CommentText; readonly newlines: number }[]
  /** Line ends between the last comment (or the token before) and the next token. */
  readonly newlines: number
}

export const hasNewline = ({ comments, newlines }: Gap): boolean => newlines > 0 || comments.some((c) => c.newlines > 0)

/** Two gaps as one, when the token between them goes. */
export const joinGaps = (a: Gap, b: Gap): Gap => {
  const [first, ...rest] = b.comments
  if (!first) return { comments: a.comments, newlines: a.newlines + b.newlines }
  return { comments: [...a.comments, { text: first.text, newlines: a.newlines + first.newlines }, ...rest], newlines: b.newlines }
}

/** `open`: no space after the token before; `close`: none before the next one; `space`: one between them. */
export type Glue = 'open' | 'close' | 'space'

/** Where no line may end. */
export const glued = ({ comments }: Gap, glue: Glue): Doc => {
  if (comments.length === 0) return glue === 'space' ? ' ' : ''
  const texts = comments.map(({ text }, i) => (i === 0 ? text : [' ', text]))
  return [glue === 'open' ? '' : ' ', texts, glue === 'close' ? '' : ' ']
}

/** Where a line may end, before something that belongs to what comes. Empty lines: at most one, and only when `keepsBlank`. */
export const breaking = (gap: Gap, kind: LineKind, keepsBlank: boolean | 'but first' = false): Doc => {
  const { trailing, own, newlines } = split(gap)
  const isBlank = (count: number, isFirst: boolean) => (keepsBlank === 'but first' ? !isFirst : keepsBlank) && count > 1
  const firstKind = trailing.length > 0 || isOnItsOwn(gap, own) ? 'hard' : kind
  const parts: Doc[] = trailing.map(({ text }) => suffix([' ', text]))
  own.forEach((c, i) => {
    if (i === 0) parts.push(line(firstKind, isBlank(c.newlines, true)), c.text)
    else parts.push(c.newlines > 0 ? line('hard', isBlank(c.newlines, false)) : ' ', c.text)
  })
  if (own.length === 0) parts.push(line(firstKind, isBlank(newlines, true)))
  else parts.push(newlines > 0 ? line('hard', isBlank(newlines, false)) : ' ')
  return parts
}

/** Where a line may end, before what closes a block: comments belong to what is before, and inside. */
export const closing = (gap: Gap, kind: LineKind, keepsBlank = false): { readonly inside: Doc; readonly outside: Doc } => {
  const { comments, newlines } = gap
  const found = comments.findIndex((c) => c.newlines > 0)
  const count = found < 0 ? comments.length : found
  const own = comments.slice(count)
  const inside: Doc[] = comments.slice(0, count).map(({ text }) => docChoice(suffix([' ', text]), [' ', text]))
  for (const c of own) inside.push(c.newlines > 0 ? line('hard', keepsBlank && c.newlines > 1) : ' ', c.text)
  return { inside, outside: line(own.length > 0 || (comments.length > 0 && newlines > 0) ? 'hard' : kind) }
}

/** At the start of a file: as `breaking`, without the first line end. */
export const starting = ({ comments, newlines }: Gap): Doc => {
  const parts = comments.map(({ text, newlines: before }, i): Doc => (i === 0 ? text : [before > 0 ? line('hard', before > 1) : ' ', text]))
  return [parts, comments.length === 0 ? '' : newlines > 0 ? line('hard', newlines > 1) : ' ']
}

/** Around a comma that stays: what is on a line of its own before it goes after it. */
export const aroundComma = (before: Gap, after: Gap, keepsBlank: boolean): Doc => {
  const found = before.comments.findIndex((c) => c.newlines > 0)
  const count = found < 0 ? before.comments.length : found
  const stays = { comments: before.comments.slice(0, count), newlines: 0 }
  const goes = { comments: before.comments.slice(count), newlines: before.newlines }
  return [glued(stays, 'close'), ',', breaking(joinGaps(goes, after), ' ', keepsBlank)]
}

type Comments = Gap['comments']

const split = ({ comments, newlines }: Gap): { trailing: Comments; own: Comments; newlines: number } => {
  const found = comments.findIndex((c) => c.newlines > 0)
  const count = found >= 0 ? found : newlines > 0 ? comments.length : 0
  return { trailing: comments.slice(0, count), own: comments.slice(count), newlines }
}

const isOnItsOwn = ({ newlines }: Gap, own: Comments): boolean =>
  own.some((c, i) => c.newlines > 0 && (own[i + 1]?.newlines ?? newlines) > 0)
