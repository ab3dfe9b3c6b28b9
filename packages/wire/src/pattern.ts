// Regular expressions, by RE2: linear in the text, whatever the pattern. The library is loaded for the first pattern.

import type { RE2JS } from 're2js'

const open = () => require('re2js') as typeof import('re2js')

export type Pattern = RE2JS

export interface PatternFault {
  readonly message: string
  /** The part of the pattern that is wrong, in UTF-16 units. */
  readonly start: number
  readonly end: number
}

/** In UTF-16 units. */
const MAX_PATTERN = 10_000

/** The least recently used one is evicted. */
const MAX_KEPT = 100
const kept = new Map<string, Pattern>()

/** In the syntax of RE2. */
export const compilePattern = (source: string): { readonly pattern: Pattern } | { readonly fault: PatternFault } => {
  const known = kept.get(source)
  if (known) {
    kept.delete(source)
    kept.set(source, known)
    return { pattern: known }
  }
  if (source.length > MAX_PATTERN) {
    return { fault: { message: `a pattern has at most ${MAX_PATTERN.toLocaleString('en')} characters`, start: 0, end: source.length } }
  }
  const { RE2JS, RE2JSSyntaxException } = open()
  try {
    const pattern = RE2JS.compile(source)
    if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value as string)
    kept.set(source, pattern)
    return { pattern }
  } catch (failure) {
    if (!(failure instanceof RE2JSSyntaxException)) throw failure
    const message = failure.getDescription()
    const part = failure.getPattern() ?? ''
    if (part === source && message.includes(')')) return { fault: { message, ...oddParenthesis(source) } }
    const start = part === '' ? 0 : Math.max(source.lastIndexOf(part), 0)
    return { fault: { message, start, end: part === '' ? source.length : start + part.length } }
  }
}

// The last that is open at the end, or the first that closes nothing.
const oddParenthesis = (source: string): { readonly start: number; readonly end: number } => {
  const open: number[] = []
  for (const { 0: token, index } of source.matchAll(/\\.|\[\^?\]?(?:\\.|\[:[^\]]*:\]|[^\]\\])*\]|[()]/gs)) {
    if (token === '(') open.push(index)
    else if (token === ')' && open.pop() === undefined) return { start: index, end: index + 1 }
  }
  const start = open.at(-1)
  return start === undefined ? { start: 0, end: source.length } : { start, end: start + 1 }
}

/** A pattern in JavaScript's syntax, as JSON Schema has them. What RE2 does not support (look-around, back-references) is not checked. */
export const testOf = (source: string): ((text: string) => boolean) => {
  const { RE2JS } = open()
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(source))
    return (text) => pattern.test(text)
  } catch {
    return () => true
  }
}
