// Nests the tokens of a script into lists.
import { readTokens } from './script-tokens.js'

export interface List {
  readonly kind: 'list'
  readonly items: readonly Node[]
  /** The line of the opening bracket. */
  readonly line: number
}

interface Atom {
  readonly kind: '=' | 'number' | 'symbol'
  readonly text: string
  readonly line: number
}

export type Node = List | Atom

type ReportLine = (line: number, message: string) => void

export const readLists = (source: string, report: ReportLine): Node[] => {
  const top: Node[] = []
  const open: { items: Node[]; line: number }[] = []
  let items = top
  readTokens(source, (kind, text, line) => {
    if (kind === '(') {
      const inner: Node[] = []
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
