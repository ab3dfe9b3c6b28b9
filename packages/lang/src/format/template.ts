// A template as it is printed: as it is written, with what is in its braces; a block of several lines moves with its surroundings.

import type { Template } from '../parse/ast.js'
import { unindent } from '../parse/string-literal.js'
import { templateTexts } from '../parse/template-text.js'
import { type Doc, indent, line } from './doc.js'
import type { TokenReader } from './token-reader.js'

const OPEN = '$"""'
const QUOTES = '"""'
// No source can hold it.
const HOLE = '\0'

export const template = (r: TokenReader, node: Template): Doc => {
  const written = r.takeSource(node.span.end)
  const moved = written.startsWith(OPEN) ? movedBlock(node) : undefined
  if (moved !== undefined) return moved
  const [first = '', ...rest] = written.split('\n')
  return rest.length === 0 ? first : { kind: 'comment', first, rest, isShifted: false }
}

/** Is it printed on several lines of its own? */
export const isBlockTemplate = (node: Template): boolean => movedBlock(node) !== undefined

// Undefined: it is on one line, or an expression of several lines is in it.
const movedBlock = ({ texts, span }: Template): Doc | undefined => {
  const { source } = span
  const raws = texts.map((text, i) => {
    const isLast = i === texts.length - 1
    const from = text.span.start + (i === 0 ? OPEN.length : 1)
    return source.text.slice(from, text.span.end - (isLast ? QUOTES.length : 1))
  })
  const holes = texts.slice(1).map((text, i) => source.text.slice((texts[i]?.span.end ?? 0) - 1, text.span.start + 1))
  const raw = raws.join(HOLE)
  if (!source.text.startsWith(OPEN, span.start) || !raw.includes('\n') || holes.some((hole) => hole.includes('\n'))) return undefined
  // A carriage return before a line end would be taken for a part of it.
  const lines = unindent(raw)
    .split('\n')
    .map((text) => text.replace(/\r$/, '\\r'))
  const moved = `\n${lines.map((text) => (text === '' ? '' : `  ${text}`)).join('\n')}\n`
  if (said(moved.split(HOLE)) !== said(raws)) return undefined
  let hole = 0
  const filled = (text: string) => text.replaceAll(HOLE, () => holes[hole++] as string)
  const hard = line('hard')
  return [OPEN, indent(lines.map((text) => [hard, filled(text)])), hard, QUOTES]
}

const said = (raws: readonly string[]): string => JSON.stringify(templateTexts(raws, true))
