// What the author says of a declaration: its @description, and the comment directly above it.

import type { Scope } from '../names/names.js'
import type { Node } from '../parse/ast.js'
import type { SymbolInfo } from './symbol.js'

export const docComment = (meaning: SymbolInfo): string | undefined => {
  if (meaning.kind === 'type') return commentAbove(meaning.declaration, meaning.scope)
  if (meaning.kind === 'param') return commentAbove(meaning.param.declaration, meaning.param.scope)
  if (meaning.kind !== 'binding') return undefined
  const { bound } = meaning
  const parts = [bound.description, commentAbove(bound.binding, bound.scope)].filter((text) => text !== undefined)
  return parts.length > 0 ? parts.join('\n\n') : undefined
}

const commentAbove = ({ span }: Node, { module: { program } }: Scope): string | undefined => {
  const { text } = span.source
  const comment = program.comments.find((c) => c.span.end <= span.start && /^[ \t\r]*\n?[ \t]*$/.test(text.slice(c.span.end, span.start)))
  return comment?.text
    .slice(2, -2)
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim()
}
