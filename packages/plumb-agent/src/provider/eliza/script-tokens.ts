// Cuts the text of a script into brackets, equals signs, numbers and symbols. `1,` is a number and a symbol, `REALLY,` is one symbol.
import { upperCase } from './normalise.js'

type TokenKind = '(' | ')' | '=' | 'number' | 'symbol'

/** Tells of every token and its line, from 1. */
export const readTokens = (source: string, onToken: (kind: TokenKind, text: string, line: number) => void): void => {
  let line = 1
  for (const text of upperCase(source).match(TOKEN) ?? []) {
    const first = text.charCodeAt(0)
    if (first === NEWLINE) line++
    else if (first !== SEMICOLON) onToken(kindOf(first), text, line)
  }
}

const TOKEN = /\n|;[^\n]*|[()=]|[0-9]+|[^\0- \x7f()=;0-9][^\0- \x7f()=;]*/g

const NEWLINE = 0x0a
const SEMICOLON = 0x3b

const kindOf = (first: number): TokenKind => {
  if (first === 0x28) return '('
  if (first === 0x29) return ')'
  if (first === 0x3d) return '='
  return first >= 0x30 && first <= 0x39 ? 'number' : 'symbol'
}
