// Reads the text of a script into nested lists. `1,` is a number and a symbol, `REALLY,` is one symbol.
import { upperCase } from './normalise.js'

export interface ScriptList {
  readonly kind: 'list'
  readonly items: readonly ScriptNode[]
  /** The line of the opening bracket. */
  readonly line: number
}

interface Atom {
  readonly kind: '=' | 'number' | 'symbol'
  readonly text: string
  readonly line: number
}

export type ScriptNode = ScriptList | Atom

type ReportLine = (line: number, message: string) => void

export const readLists = (source: string, report: ReportLine): ScriptNode[] => {
  const top: ScriptNode[] = []
  const open: { items: ScriptNode[]; line: number }[] = []
  let items = top
  readTokens(source, (kind, text, line) => {
    if (kind === '(') {
      const inner: ScriptNode[] = []
      items.push({ kind: 'list', items: inner, line })
      open.push({ items, line })
      items = inner
    } else if (kind === ')') {
      const outer = open.pop()
      if (outer) items = outer.items
      else report(line, "a ')' closes nothing; remove it or add the '(' it belongs to")
    } else items.push({ kind, text, line })
  })
  const unclosed = open[0]
  if (unclosed) report(unclosed.line, "the '(' here is never closed; add its ')'")
  return top
}

type TokenKind = '(' | ')' | '=' | 'number' | 'symbol'

/** Calls back with every token and its line, from 1. */
const readTokens = (source: string, onToken: (kind: TokenKind, text: string, line: number) => void): void => {
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
