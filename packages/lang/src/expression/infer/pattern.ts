// A regular expression that stands in the program is compiled when it is checked, and what is wrong in it is underlined where it stands.

import { compilePattern } from '@plumb/wire/pattern'
import { preview } from '@plumb/wire/preview'
import type { Span } from '../../diagnostic/source.js'
import type { Expression } from '../../parse/ast.js'
import type { Context } from './context.js'

export const checkPattern = (e: Expression, context: Context): boolean => {
  if (e.kind !== 'literal' || typeof e.value !== 'string') return true
  const compiled = compilePattern(e.value)
  if ('pattern' in compiled) return true
  const { message, start, end } = compiled.fault
  const part = preview(e.value.slice(start, end))
  const isRefused = /Perl|escape/.test(message)
  context.complain('type_mismatch', partOf(e.span, e.value, start, end), `no pattern of RE2: ${message}: '${part}'`, {
    help: isRefused ? 'RE2 is linear in the text: it has neither look-around nor back-references' : undefined,
  })
  return false
}

// Where a part of a literal's value stands in what was written; the whole literal, where that cannot be told.
const partOf = (span: Span, value: string, start: number, end: number): Span => {
  const written = span.source.text.slice(span.start, span.end)
  if (written.startsWith('"""')) {
    const at = written.indexOf(value, 3)
    return at < 0 ? span : { ...span, start: span.start + at + start, end: span.start + at + end }
  }
  const places = [1]
  for (let at = 1; at < written.length - 1; places.push(at)) at += written[at] !== '\\' ? 1 : written[at + 1] === 'u' ? 6 : 2
  return { ...span, start: span.start + (places[start] ?? 0), end: span.start + (places[end] ?? written.length) }
}
