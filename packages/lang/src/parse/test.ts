// `test "name" of binding { … }`: config values, but for conditions, and the scripts of models and tools.

import type { Computed, Name, QualifiedName, TestDeclaration, TestObject, TestValue } from './ast.js'
import type { Cursor } from './cursor.js'
import { parseFunction, startsFunction } from './expression.js'
import { parseCondition as condition, parseListOf, parseObjectOf, parseValue } from './value.js'

export const parseTest = (c: Cursor): TestDeclaration => {
  const start = c.advance()
  const { text, span } = c.advance()
  c.expectWord('of', 'after the name of the test')
  const of = qualifiedName(c)
  const config = parseObjectOf(c, `after 'test "…" of ${of.name.text}'`, entry)
  return { kind: 'test', name: { text, span }, of, config, span: c.spanFrom(start) }
}

const qualifiedName = (c: Cursor): QualifiedName => {
  const first = c.ownName('the name of a binding')
  if (!c.takeSymbol('.')) return { name: first, span: first.span }
  const name = c.ownName('the name of a binding')
  return { module: first, name, span: c.spanFrom(first) }
}

const entry = (c: Cursor, { text }: Name): TestValue => {
  switch (text) {
    case 'holds':
    case 'input':
    case 'want':
      return condition(c)
    case 'matches':
      return c.isSymbol('[') ? parseListOf(c, condition) : condition(c)
    case 'models':
    case 'tools':
      return c.isSymbol('{') ? parseObjectOf(c, '', script) : parseValue(c)
    default:
      return parseValue(c)
  }
}

// What one model or tool answers.
const script = (c: Cursor): TestValue => (c.isSymbol('[') ? parseListOf(c, answer) : answer(c))

const answer = (c: Cursor): TestValue => {
  if (startsFunction(c)) return computed(c)
  return c.isSymbol('{') ? oneAnswer(c) : parseValue(c)
}

// `when` is a condition in the special form; in a message it is a field like any other, and its value one of these too.
const oneAnswer = (c: Cursor): TestObject => parseObjectOf(c, '', (c, { text }) => (text === 'when' ? condition(c) : parseValue(c)))

const computed = (c: Cursor): Computed => {
  const made = parseFunction(c)
  return { kind: 'computed', function: made, span: made.span }
}
