// Expressions, from loose to tight: if · ?? · or · and · not · comparison · + - · * / % · unary - · postfix .field [i]

import type { BinaryOperator, Expression, RecordPart } from '../ast.js'
import type { Cursor } from '../cursor.js'
import { LITERAL_WORDS } from './value.js'

export const parseExpression = (c: Cursor): Expression => c.nested(() => choice(c))

const choice = (c: Cursor): Expression => {
  if (!c.isWord('if')) return coalesce(c)
  const start = c.advance()
  const condition = parseExpression(c)
  c.expectWord('then', "after the condition of 'if'")
  const then = parseExpression(c)
  c.expectWord('else', "after the first branch of 'if'")
  const otherwise = parseExpression(c)
  return { kind: 'if', condition, then, else: otherwise, span: c.spanFrom(start) }
}

const coalesce = (c: Cursor): Expression => {
  const start = c.next
  const left = disjunction(c)
  if (!c.takeSymbol('??')) return left
  const right = c.nested(() => coalesce(c))
  return { kind: 'binary', operator: '??', left, right, span: c.spanFrom(start) }
}

type Level = (c: Cursor) => Expression

/** Left-associative operators of one strength. `spellings` maps what is written to what is meant. */
const leftward =
  (spellings: Readonly<Record<string, BinaryOperator>>, part: Level): Level =>
  (c) => {
    const start = c.next
    let left = part(c)
    for (let operator = operatorOf(c, spellings); operator; operator = operatorOf(c, spellings)) {
      c.advance()
      c.grow()
      left = { kind: 'binary', operator, left, right: c.beside(() => part(c)), span: c.spanFrom(start) }
    }
    return left
  }

const operatorOf = (c: Cursor, spellings: Readonly<Record<string, BinaryOperator>>): BinaryOperator | undefined =>
  (c.next.kind === 'symbol' || c.next.kind === 'identifier') && Object.hasOwn(spellings, c.next.text) ? spellings[c.next.text] : undefined

const unary: Level = (c) => {
  const start = c.next
  if (!c.takeSymbol('-')) return postfix(c)
  const operand = c.nested(() => unary(c))
  return { kind: 'unary', operator: '-', operand, span: c.spanFrom(start) }
}

const product = leftward({ '*': '*', '/': '/', '%': '%' }, unary)
const sum = leftward({ '+': '+', '-': '-' }, product)
const COMPARISONS = { '=': '=', '!=': '!=', '<': '<', '<=': '<=', '>': '>', '>=': '>=' } as const

const comparison: Level = (c) => {
  const start = c.next
  const left = sum(c)
  const operator = operatorOf(c, COMPARISONS)
  if (!operator) return left
  c.advance()
  const right = sum(c)
  if (operatorOf(c, COMPARISONS)) c.fail('comparisons do not chain', c.next.span, "join two of them with 'and'")
  return { kind: 'binary', operator, left, right, span: c.spanFrom(start) }
}

const negation: Level = (c) => {
  const start = c.next
  if (!c.takeWord('not') && !c.takeSymbol('!')) return comparison(c)
  const operand = c.nested(() => negation(c))
  return { kind: 'unary', operator: 'not', operand, span: c.spanFrom(start) }
}

const conjunction = leftward({ and: 'and', '&&': 'and' }, negation)
const disjunction = leftward({ or: 'or', '||': 'or' }, conjunction)

const postfix: Level = (c) => {
  const start = c.next
  let e = primary(c)
  for (;;) {
    if (c.takeSymbol('.')) e = { kind: 'field', of: e, field: c.anyName('the name of a field'), span: c.spanFrom(start) }
    else if (c.takeSymbol('[')) {
      const index = c.beside(() => parseExpression(c))
      c.expectSymbol(']', 'after the index')
      e = { kind: 'index', of: e, index, span: c.spanFrom(start) }
    } else return e
    c.grow()
  }
}

// These stand for themselves alone; every other reserved word is also a field.
const OPERATORS: ReadonlySet<string> = new Set(['if', 'then', 'else', 'and', 'or', 'not'])
const isBare = (word: string): boolean => OPERATORS.has(word) || LITERAL_WORDS.has(word)

const primary: Level = (c) => {
  const t = c.next
  if (t.kind === 'string') {
    c.advance()
    return { kind: 'literal', value: t.text, text: JSON.stringify(t.text), span: t.span }
  }
  if (t.kind === 'number') {
    c.advance()
    return { kind: 'literal', value: Number(t.text), text: t.text, span: t.span }
  }
  if (c.takeSymbol('(')) {
    const e = parseExpression(c)
    c.expectSymbol(')', 'after the expression')
    return e
  }
  if (c.takeSymbol('[')) {
    const items = c.isSymbol(']') ? [] : commaList(c, parseExpression)
    c.expectSymbol(']', 'after the list')
    return { kind: 'list', items, span: c.spanFrom(t) }
  }
  if (c.takeSymbol('{')) {
    const parts = c.isSymbol('}') ? [] : commaList(c, recordPart)
    c.expectSymbol('}', "after the field (or ',' and another field)")
    return { kind: 'record', parts, span: c.spanFrom(t) }
  }
  if (t.kind !== 'identifier') return c.failExpecting('an expression')
  if (t.text === 'if') return c.fail("an 'if' inside another expression stands in parentheses")
  if (OPERATORS.has(t.text)) return c.failExpecting('an expression')
  c.advance()
  const literal = LITERAL_WORDS.get(t.text)
  if (literal !== undefined) return { kind: 'literal', value: literal, text: t.text, span: t.span }
  if (!c.isSymbol('(')) return { kind: 'name', name: t.text, span: t.span }
  c.advance()
  const args = c.isSymbol(')') ? [] : commaList(c, parseExpression)
  c.expectSymbol(')', 'after the arguments')
  return { kind: 'call', function: { text: t.text, span: t.span }, arguments: args, span: c.spanFrom(t) }
}

const recordPart = (c: Cursor): RecordPart => {
  const start = c.next
  if (c.takeSymbol('...')) {
    const of = parseExpression(c)
    return { kind: 'spread', of, span: c.spanFrom(start) }
  }
  const name = c.anyName('the name of a field')
  // A word that does not stand for itself is no shorthand.
  if (isBare(name.text)) c.expectSymbol(':', `after the field '${name.text}'`)
  else if (!c.takeSymbol(':')) return { kind: 'field', name, value: { kind: 'name', name: name.text, span: name.span }, isShorthand: true }
  return { kind: 'field', name, value: parseExpression(c), isShorthand: false }
}

const commaList = <T>(c: Cursor, part: (c: Cursor) => T): T[] => {
  const parts = [c.beside(() => part(c))]
  while (c.takeSymbol(',')) parts.push(c.beside(() => part(c)))
  return parts
}
