// Quick fixes for misspelt names.

import type { Diagnostic } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'

export interface Fix {
  readonly title: string
  readonly span: Span
  readonly text: string
}

export const fixesOf = ({ span, help = '', message }: Diagnostic): Fix[] => {
  const near = /did you mean (['"])@?([^'"]+)\1\?/.exec(`${help} ${message}`)
  if (!near) return []
  const name = near[2] ?? ''
  const wrong = /^("[^"]*"|@?[A-Za-z_][A-Za-z0-9_]*)/.exec(span.source.text.slice(span.start, span.end))?.[0]
  if (wrong === undefined) return []
  const text = wrong.startsWith('"') ? `"${name}"` : wrong.startsWith('@') ? `@${name}` : name
  return [{ title: `change to '${name}'`, span: { ...span, end: span.start + wrong.length }, text }]
}
