// Quick fixes for misspelt names, and for holes of other languages' templates.

import type { Diagnostic } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'

export interface Fix {
  readonly title: string
  readonly span: Span
  readonly text: string
}

export const fixesOf = ({ code, span, help = '', message }: Diagnostic): Fix[] => {
  if (code === 'odd_template') return [withoutDollar(span)]
  const near = /did you mean (['"])@?([^'"]+)\1\?/.exec(`${help} ${message}`)
  if (!near) return []
  const name = near[2] ?? ''
  const wrong = /^("[^"]*"|@?[A-Za-z_][A-Za-z0-9_]*)/.exec(span.source.text.slice(span.start, span.end))?.[0]
  if (wrong === undefined) return []
  const text = wrong.startsWith('"') ? `"${name}"` : wrong.startsWith('@') ? `@${name}` : name
  return [{ title: `change to '${name}'`, span: { ...span, end: span.start + wrong.length }, text }]
}

// The dollar in front of a hole goes; of a string, each goes, and one comes before it.
const withoutDollar = (span: Span): Fix => {
  const written = span.source.text.slice(span.start, span.end)
  return written === '$'
    ? { title: "remove the '$'", span, text: '' }
    : { title: 'make it a template', span, text: `$${written.replaceAll(/\$(?=\{)/g, '')}` }
}
