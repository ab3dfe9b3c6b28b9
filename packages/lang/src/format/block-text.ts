// A string as it is printed: as it is written; a """block""" of several lines moves with its surroundings, its value does not change.

import { unescape, unindent } from '../parse/string-literal.js'
import { type Doc, indent, line } from './doc.js'

const QUOTES = '"""'

export const blockText = (written: string): Doc => {
  if (!written.startsWith(QUOTES)) return written
  const raw = written.slice(QUOTES.length, -QUOTES.length)
  // A carriage return before a line end would be taken for a part of it.
  const lines = unindent(raw)
    .split('\n')
    .map((text) => text.replace(/\r$/, '\\r'))
  const isOneLine = !raw.includes('\n')
  const moved = isOneLine ? lines.join('') : `\n${lines.map((text) => (text === '' ? '' : `  ${text}`)).join('\n')}\n`
  // White space alone has no indentation to share, so that it cannot be moved.
  if (valueOf(moved) !== valueOf(raw)) return JSON.stringify(valueOf(raw))
  if (isOneLine) return QUOTES + moved + QUOTES
  const hard = line('hard')
  return [QUOTES, indent(lines.map((text) => [hard, text])), hard, QUOTES]
}

/** It is printed in three quotes. */
export const staysBlock = (written: string): boolean => {
  const printed = blockText(written)
  return typeof printed !== 'string' || printed.startsWith(QUOTES)
}

const valueOf = (raw: string) => unescape(unindent(raw))
