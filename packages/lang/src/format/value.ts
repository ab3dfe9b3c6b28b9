// Config values: literals, lists, objects and names; in tests also conditions and functions. Between lines an object has no commas.

import type { ObjectOf, TestValue } from '../parse/ast.js'
import { bracketed, emptyBracket } from './bracket.js'
import { type Doc, docChoice, group, indent } from './doc.js'
import { expression, isOperation, keyFunction } from './expression.js'
import { aroundComma, breaking, closing, type Gap, hasNewline, joinGaps } from './gap.js'
import { literal } from './literal.js'
import { qualifiedName } from './qualified-name.js'
import { template } from './template.js'
import type { TokenReader } from './token-reader.js'

const value = (r: TokenReader, node: TestValue): Doc => {
  switch (node.kind) {
    case 'value':
      return literal(r)
    case 'list':
      return bracketed(
        r,
        node.items.map((item) => () => value(r, item)),
        { isAuthors: true },
      )
    case 'object':
      return object(r, node)
    case 'name':
      return qualifiedName(r, node.name)
    case 'template':
      return template(r, node)
    case 'condition':
      return expression(r, node.expression, 'sole')
    case 'computed':
      return keyFunction(r, node.function)
  }
}

/** One entry a line if they were on several lines, or do not fit on one. */
export const object = (r: TokenReader, { entries }: ObjectOf<TestValue>): Doc => {
  const open = r.take()
  const first = r.gap()
  if (entries.length === 0) return emptyBracket(r, open, first, ' ')
  const parts: Doc[] = [breaking(first, ' ', 'but first')]
  let mustBreak = hasNewline(first)
  entries.forEach((entry, i) => {
    if (i > 0) {
      const { doc, isBroken } = separator(r)
      parts.push(doc)
      mustBreak ||= isBroken
    }
    parts.push(r.take(), r.glueAndTake('close'), entryValue(r, entry.value))
  })
  const { inside, outside } = closing(gapWithoutComma(r), ' ', true)
  return group([open, indent([parts, inside]), outside, r.take()], mustBreak)
}

// A condition that does not fit begins on the next line, so that its operators are below each other.
const entryValue = (r: TokenReader, node: TestValue): Doc =>
  node.kind === 'condition' && isOperation(node.expression)
    ? group(indent([breaking(r.gap(), ' '), value(r, node)]))
    : [r.glue('space'), value(r, node)]

const separator = (r: TokenReader): { doc: Doc; isBroken: boolean } => {
  const before = r.gap()
  if (!r.isSymbol(',')) return { doc: breaking(before, 'hard', true), isBroken: true }
  r.drop()
  const after = r.gap()
  const joined = joinGaps(before, after)
  const isBroken = hasNewline(joined)
  // Where the comma was the only sign of it, what is before it belongs to the entry before.
  const broken = isBroken ? breaking(joined, ' ', true) : breaking(joinGaps(before, startingLine(after)), ' ')
  return { doc: docChoice(broken, aroundComma(before, after, true)), isBroken }
}

const startingLine = ({ comments: [first, ...rest], newlines }: Gap): Gap =>
  first ? { comments: [{ ...first, newlines: 1 }, ...rest], newlines } : { comments: [], newlines: 1 }

const gapWithoutComma = (r: TokenReader): Gap => {
  const before = r.gap()
  if (!r.isSymbol(',')) return before
  r.drop()
  return joinGaps(before, r.gap())
}
