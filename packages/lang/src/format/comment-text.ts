// A comment as it is printed: word for word, without what no one sees, and moved as a block when it was written as one.

import type { Comment } from '../parse/ast.js'
import type { CommentText } from './doc.js'

export const commentText = ({ text, span }: Comment): CommentText => {
  const [first = '', ...rest] = text.split('\n').map((line) => line.replace(/[ \t\r]+$/, ''))
  const { text: whole } = span.source
  // As wide as what stands before the comment on its line.
  const margin = [...whole.slice(whole.lastIndexOf('\n', span.start - 1) + 1, span.start).replace('\uFEFF', '')]
    .map((c) => (c === '\t' ? c : ' '))
    .join('')
  const isShifted = rest.every((line) => line === '' || line.startsWith(margin))
  return { kind: 'comment', first, rest: isShifted ? rest.map((line) => line.slice(margin.length)) : rest, isShifted }
}
