// Repairs an incomplete text until it parses: inserts a placeholder at the cursor, and the tokens that the grammar still needs after it.

import type { SyntaxTree } from '../parse/ast.js'
import { type Token, tokenize } from '../parse/lexer.js'
import { parse } from '../parse/parser.js'

/** The placeholder. No program has such a name. */
export const PLACEHOLDER = 'cursor_is_here_0'

export interface CompletionText {
  /** The declaration around the cursor, as repaired. */
  readonly item: string
  /** Where the stand-in begins, in the whole text. */
  readonly offset: number
}

/** Where the declaration around a word begins and ends. */
export const itemAround = (text: string, from: number, to: number) => ({ start: itemStart(text, from), end: itemEnd(text, to) })

/** The first repair whose tree holds the placeholder. `from` and `to` bound the word at the cursor, `start` and `end` its declaration. */
export const completionText = (
  text: string,
  from: number,
  to: number,
  { start, end }: { readonly start: number; readonly end: number },
): CompletionText | undefined => {
  const lineStart = text.lastIndexOf('\n', from - 1) + 1
  const lineEnd = text.indexOf('\n', to) < 0 ? text.length : text.indexOf('\n', to)
  const head = text.slice(start, from)
  const wanted = wantedBehind(head, lineStart - start)
  const tails = [text.slice(to, end), wanted.onLine + text.slice(lineEnd, end), `${wanted.inItem}\n`, wanted.inItem + wanted.ofItem]
  for (const tail of tails) {
    for (const [before, after] of standInsBehind(head)) {
      const item = head + before + PLACEHOLDER + after + tail
      if (!holdsStandIn(item)) continue
      return { item, offset: from + before.length }
    }
  }
  return undefined
}

// What a name may need around it to parse: nothing, a value, the rest of a statement, a word before it, a declaration after it.
const STAND_INS = [
  ['', ''],
  ['', ': 0'],
  ['', ' ; id'],
  ['', '()'],
  ['and ', ''],
  ['as ', ''],
  ['', ' a: int'],
  ['', ': end'],
  ['', ' -> 0'],
  ['', ' in 0'],
] as const
const AT_ITEM = [['use ', '']] as const
const AT_ANNOTATION = [
  ['', ''],
  ['', '\nlet a : int -> int = id'],
] as const

const standInsBehind = (head: string) => (head.trim() === '' ? AT_ITEM : head.trim() === '@' ? AT_ANNOTATION : STAND_INS)

const holdsStandIn = (item: string): boolean => {
  const program: SyntaxTree = parse({ path: '', text: item }, () => {})
  return JSON.stringify(program.items, (key, value) => (key === 'span' ? undefined : value)).includes(PLACEHOLDER)
}

// A declaration begins in the first column.
const ITEM = /^(?:let|type|use|protocol)\b|^param\s+\w+\s*:|^test\s*"|^@/gm

const itemStart = (text: string, offset: number): number => {
  let start = 0
  for (const { index } of text.matchAll(ITEM)) if (index <= offset) start = index
  const isFirstColumn = offset === 0 || text[offset - 1] === '\n'
  return isFirstColumn && wantedBehind(text.slice(start, offset), 0).inItem === '' ? offset : start
}

const itemEnd = (text: string, offset: number): number => {
  for (const { index } of text.matchAll(ITEM)) if (index > offset) return index
  return text.length
}

/** What is still open before the cursor: on its line, in the whole declaration, and the required rest of a declaration. */
const wantedBehind = (head: string, lineStart: number) => {
  const open: { readonly closer: string; readonly start: number; hasLoop?: boolean }[] = []
  const { tokens } = tokenize({ path: '', text: head }, () => {})
  for (const [i, token] of tokens.entries()) {
    const closer = CLOSERS[token.text]
    const isFreeWord = token.kind === 'identifier' && tokens[i - 1]?.text !== '.' && tokens[i + 1]?.text !== ':'
    const push = (text: string) => open.push({ closer: text, start: token.span.start })
    const around = open.at(-1)
    if (token.kind === 'template') {
      if (token.piece === 'head') push(text(token).startsWith('$"""') ? '}"""' : '}"')
      if (token.piece === 'tail') open.splice(open.findLastIndex((o) => o.closer.startsWith('}"')))
    } else if (token.kind === 'symbol' && closer !== undefined) push(closer)
    else if (token.kind === 'symbol' && Object.values(CLOSERS).includes(token.text)) closeTo(open, token)
    else if (isFreeWord && token.text === 'for' && around?.closer === ']') around.hasLoop = true
    else if (isFreeWord && token.text === 'if' && around?.hasLoop && endsValue(tokens[i - 1])) continue
    else if (isFreeWord && token.text === 'if') push(' then 0 else 0')
    else if (isFreeWord && token.text === 'then' && open.at(-1)?.closer === ' then 0 else 0')
      open.splice(-1, 1, { closer: ' else 0', start: token.span.start })
    else if (isFreeWord && token.text === 'else' && open.at(-1)?.closer === ' else 0') open.pop()
  }
  const closers = (from: number) =>
    open
      .filter((o) => o.start >= from)
      .map((o) => o.closer)
      .reverse()
      .join('')
  const line = head.slice(lineStart)
  const isChannel = open.some((o) => o.start < lineStart) && /^\s*let\b[^=]*:[^=]*$/.test(line)
  const ofItem = /^(?:@[^\n]*\n)*\s*let\b[^=]*$/.test(head) ? (head.includes('->') || head.includes('→') ? ' = id' : ' -> !int = id') : ''
  return { onLine: closers(lineStart) + (isChannel ? ' = channel' : ''), inItem: closers(0), ofItem }
}

const text = ({ span: { source, start, end } }: Token): string => source.text.slice(start, end)

// An `if` after it is the condition of a `for`.
const endsValue = (token: Token | undefined): boolean =>
  token?.kind === 'symbol' ? Object.values(CLOSERS).includes(token.text) : token?.text !== 'in'

const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

const closeTo = (open: { readonly closer: string }[], { text }: Token): void => {
  const at = open.findLastIndex((o) => o.closer === text)
  if (at >= 0) open.length = at
}
