// Expressions → JavaScript expressions. A value is in the form of its type (generator.ts); `emitHeld` instead keeps what is only moved as a slice of
// its text, so that it can be written or taken apart later without loss.

import type { BinaryExpression, CallExpression, Expression, RecordExpression } from '../ast.js'
import { resolve } from '../types/type.js'
import { emitWriter } from './emit-write.js'
import { functionOf, type Parameter } from './function.js'
import type { Form, Generator } from './generator.js'
import { isJson } from './kind.js'
import { isHalved } from './text.js'

export const emitValue = (e: Expression, g: Generator): string => {
  const form = g.form(e)
  if (form === 'held') return emitHeld(e, g)
  const path = g.path(e)
  if (path) {
    const { start, end } = g.extent(path)
    return decodePart(start, end, form, e, g)
  }
  switch (e.kind) {
    case 'if':
      return `(${emitBool(e.condition, g)} ? ${emitValue(e.then, g)} : ${emitValue(e.else, g)})`
    case 'binary':
      return e.operator === '??' ? emitCoalesce(e, g, emitValue, (held) => decodeHeld(held, form, e, g)) : emitComputed(e, g)
    case 'call':
      return functionOf(e.function.text)?.result === 'moved' ? decodeHeld(emitCall(e, g), form, e, g) : emitComputed(e, g)
    case 'field':
    case 'index':
      return decodeHeld(emitHeld(e, g), form, e, g)
    default:
      return emitComputed(e, g)
  }
}

const decodePart = (start: string, end: string, form: Form, e: Expression, g: Generator): string => {
  const slot = start.replace(/\D/g, '')
  switch (form) {
    case 'string':
      return g.once(`s${slot}`, `R.stringAt(b, ${start} + 1, ${end} - 1)`)
    case 'int':
      return g.once(`i${slot}`, `R.intAt(b, ${start}, ${end}, ${g.site(e)})`)
    case 'number':
      return g.once(`n${slot}`, `R.numberAt(b, ${start}, ${end})`)
    case 'bool':
      return `(b[${start}] === 116)`
    default:
      return 'null'
  }
}

const decodeHeld = (held: string, form: Form, e: Expression, g: Generator): string => {
  switch (form) {
    case 'string':
      return `R.stringOf(${held})`
    case 'int':
      return `R.intOf(${held}, ${g.site(e)})`
    case 'number':
      return `R.numberOf(${held})`
    case 'bool':
      return `R.boolOf(${held})`
    case 'unit':
      return `(${held}, null)`
    default:
      return held
  }
}

export const emitHeld = (e: Expression, g: Generator): string => {
  const path = g.path(e)
  if (path) {
    const { start, end } = g.extent(path)
    return `new R.Slice(b, ${start}, ${end})`
  }
  const numeral = numeralOf(e)
  if (numeral !== undefined) return emitNumeral(numeral, g)
  switch (e.kind) {
    case 'if':
      return `(${emitBool(e.condition, g)} ? ${emitHeld(e.then, g)} : ${emitHeld(e.else, g)})`
    case 'binary':
      return e.operator === '??' ? emitCoalesce(e, g, emitHeld, (held) => held) : emitComputed(e, g)
    case 'call':
      return functionOf(e.function.text)?.result === 'strings' ? `R.listOf(${emitCall(e, g)})` : emitComputed(e, g)
    case 'field':
      return `R.fieldIn(${emitHeld(e.of, g)}, ${g.key(e.field.text)}, ${g.site(e)})`
    case 'index':
      return `R.itemIn(${emitHeld(e.of, g)}, ${emitIndex(e.index, g)}, ${g.site(e)})`
    case 'list':
      return `R.build(${emitWriter(e, g)})`
    case 'record':
      return isMerged(e, g) ? emitMerge(e, g) : `R.build(${emitWriter(e, g)})`
    default:
      return emitComputed(e, g)
  }
}

/** A number in the program, with its sign: like a part of the message it is only moved until it is computed with. */
export const numeralOf = (e: Expression): string | undefined => {
  if (e.kind === 'literal') return typeof e.value === 'number' ? e.text : undefined
  const isNegated = e.kind === 'unary' && e.operator === '-' && e.operand.kind === 'literal'
  return isNegated && typeof e.operand.value === 'number' ? `-${e.operand.text}` : undefined
}

// A numeral is followed by a byte at which every scan stops.
const emitNumeral = (text: string, g: Generator): string => `new R.Slice(${g.bytes(`${text}\0`)}, 0, ${text.length})`

/** A field that may be absent: undefined when it is. */
export const emitHeldOrAbsent = (e: Expression, g: Generator): string => {
  const path = g.path(e)
  if (path) return `(${isThere(path, g)} ? ${emitHeld(e, g)} : undefined)`
  return e.kind === 'field' ? `R.peek(${emitHeldOrAbsent(e.of, g)}, ${g.key(e.field.text)})` : emitHeld(e, g)
}

const isThere = (path: readonly (string | number)[], g: Generator): string => `${g.extent(path).start} >= 0`

const emitHas = (e: Expression, g: Generator): string => {
  const path = g.path(e)
  return path ? `(${isThere(path, g)})` : `(${emitHeldOrAbsent(e, g)} !== undefined)`
}

type Emit = (e: Expression, g: Generator) => string

const emitCoalesce = (e: BinaryExpression, g: Generator, emit: Emit, fromHeld: (held: string) => string): string => {
  const path = g.path(e.left)
  if (path) return `(${isThere(path, g)} ? ${emit(e.left, g)} : ${emit(e.right, g)})`
  const held = g.variable()
  return `((${held} = ${emitHeldOrAbsent(e.left, g)}) !== undefined ? ${fromHeld(held)} : ${emit(e.right, g)})`
}

// What is computed: operators, literals, functions.
const emitComputed = (e: Expression, g: Generator): string => {
  switch (e.kind) {
    case 'literal':
      return emitLiteral(e, g)
    case 'unary':
      return e.operator === 'not' ? `(!${emitBool(e.operand, g)})` : `(-${emitNumber(e.operand, g)})`
    case 'binary':
      return emitBinary(e, g)
    case 'call':
      return emitCall(e, g)
    default:
      throw new TypeError(`not computed: ${e.kind}`)
  }
}

const emitLiteral = (e: Extract<Expression, { kind: 'literal' }>, g: Generator): string => {
  if (typeof e.value === 'string') return g.text(e.value)
  if (typeof e.value !== 'number') return String(e.value)
  // An int that cannot be computed with fails when it is, like any other.
  return g.form(e) === 'int' && isBig(e.text) ? `R.intOf(${emitNumeral(e.text, g)}, ${g.site(e)})` : `(${e.value})`
}

const isBig = (numeral: string): boolean => Math.abs(Number(numeral)) >= 2 ** 53

const INT_OPERATORS: Readonly<Record<string, string>> = { '+': 'addInts', '-': 'subtractInts', '*': 'multiplyInts' }

const emitBinary = (e: BinaryExpression, g: Generator): string => {
  const { operator, left, right } = e
  switch (operator) {
    case 'and':
      return `(${emitBool(left, g)} && ${emitBool(right, g)})`
    case 'or':
      return `(${emitBool(left, g)} || ${emitBool(right, g)})`
    case '=':
      return emitEqual(left, right, g)
    case '!=':
      return `(!${emitEqual(left, right, g)})`
    case '<':
    case '<=':
    case '>':
    case '>=':
      return emitOrder(e, g)
    case '/':
      return `R.divide(${emitNumber(left, g)}, ${emitNumber(right, g)}, ${g.site(e)})`
    case '%':
      return `R.remainder(${emitNumber(left, g)}, ${emitNumber(right, g)}, ${g.site(e)})`
    case '+':
      if (g.form(e) === 'held') return `R.add(${emitHeld(left, g)}, ${emitHeld(right, g)}, ${g.site(e)})`
      if (g.form(e) === 'string') return `(${emitString(left, g)} + ${emitString(right, g)})`
  }
  const [a, b] = [emitNumber(left, g), emitNumber(right, g)]
  const inInts = INT_OPERATORS[operator]
  return g.form(e) === 'int' && inInts ? `R.${inInts}(${a}, ${b}, ${g.site(e)})` : `R.finite(${a} ${operator} ${b}, ${g.site(e)})`
}

const isNumeric = (form: Form): boolean => form === 'int' || form === 'number'

const emitEqual = (left: Expression, right: Expression, g: Generator): string => {
  const forms = [g.form(left), g.form(right)] as const
  if (forms.every(isNumeric)) return `(${emitExact(left, g)} == ${emitExact(right, g)})`
  if (forms[0] !== forms[1] || forms[0] === 'held') return `R.equal(${emitHeld(left, g)}, ${emitHeld(right, g)})`
  if (forms[0] !== 'string') return `(${emitValue(left, g)} === ${emitValue(right, g)})`
  return emitIsText(left, right, g) ?? emitIsText(right, left, g) ?? `(${emitValue(left, g)} === ${emitValue(right, g)})`
}

// A part against a literal: the bytes decide, without decoding.
const emitIsText = (part: Expression, literal: Expression, g: Generator): string | undefined => {
  const path = g.path(part)
  if (!path || literal.kind !== 'literal' || typeof literal.value !== 'string' || isHalved(literal.value)) return undefined
  const { start, end } = g.extent(path)
  return `R.isText(b, ${start} + 1, ${end} - 1, ${g.text(literal.value)}, ${g.bytes(literal.value)})`
}

const emitOrder = (e: BinaryExpression, g: Generator): string => {
  const { operator, left, right } = e
  const forms = [g.form(left), g.form(right)] as const
  if (forms.every(isNumeric)) return `(${emitExact(left, g)} ${operator} ${emitExact(right, g)})`
  if (forms.every((form) => form === 'string')) return `(R.compareStrings(${emitValue(left, g)}, ${emitValue(right, g)}) ${operator} 0)`
  return `(R.order(${emitHeld(left, g)}, ${emitHeld(right, g)}, ${g.site(e)}) ${operator} 0)`
}

/** A number to compare with: one that is only moved is compared by its digits. */
const emitExact = (e: Expression, g: Generator): string => {
  const path = g.path(e)
  if (path) {
    const { start, end } = g.extent(path)
    return g.once(`x${start.replace(/\D/g, '')}`, `R.exactAt(b, ${start}, ${end})`)
  }
  const numeral = numeralOf(e)
  if (numeral !== undefined) return isBig(numeral) ? `R.exactOf(${emitNumeral(numeral, g)})` : `(${Number(numeral)})`
  switch (e.kind) {
    case 'if':
      return `(${emitBool(e.condition, g)} ? ${emitExact(e.then, g)} : ${emitExact(e.else, g)})`
    case 'binary':
      return e.operator === '??' ? emitCoalesce(e, g, emitExact, (held) => `R.exactOf(${held})`) : emitComputed(e, g)
    case 'call':
      return functionOf(e.function.text)?.result === 'moved' ? `R.exactOf(${emitCall(e, g)})` : emitComputed(e, g)
    case 'unary':
      return emitComputed(e, g)
    default:
      return `R.exactOf(${emitHeld(e, g)})`
  }
}

const emitCall = (e: CallExpression, g: Generator): string => {
  const [first] = e.arguments
  if (e.function.text === 'has' && first) return emitHas(first, g)
  const called = functionOf(e.function.text)
  if (!called) throw new TypeError(`not checked: ${e.kind}`)
  const values = e.arguments.map((argument, i) => emitArgument(argument, called.takes[i] ?? 'any', g))
  return `R.call_${e.function.text}(${[...values, g.site(e)].join(', ')})`
}

const emitArgument = (e: Expression, parameter: Parameter, g: Generator): string => {
  switch (parameter) {
    case 'string':
      return emitString(e, g)
    case 'number':
      return emitNumber(e, g)
    case 'strings':
      if (e.kind === 'call' && functionOf(e.function.text)?.result === 'strings') return emitCall(e, g)
      return isJson(g.fact(e).type) ? `R.needStrings(${emitHeld(e, g)}, ${g.site(e)})` : `R.stringsOf(${emitHeld(e, g)})`
    case 'sized':
      return g.form(e) === 'string' ? emitValue(e, g) : emitHeld(e, g)
    default:
      return emitHeld(e, g)
  }
}

// An operand of the form that the operator asks for; a json is looked at.
const demand =
  (look: string) =>
  (e: Expression, g: Generator): string =>
    isJson(g.fact(e).type) ? `R.${look}(${emitHeld(e, g)}, ${g.site(e)})` : emitValue(e, g)

export const emitBool = demand('needBool')
const emitString = demand('needString')
const emitNumber = demand('needNumber')
const emitIndex = demand('needIndex')

/** Does a record spread what only the message can tell the fields of? */
export const isMerged = (e: RecordExpression, g: Generator): boolean =>
  e.parts.some((part) => part.kind === 'spread' && !(g.path(part.of) && resolve(g.fact(part.of).type).kind === 'record'))

const emitMerge = (e: RecordExpression, g: Generator): string => {
  const parts = e.parts.map((part) =>
    part.kind === 'field'
      ? `[${g.key(part.name.text)}, ${emitHeld(part.value, g)}]`
      : `R.needObject(${emitHeld(part.of, g)}, ${g.site(part.of)})`,
  )
  return `R.merge(${parts.join(', ')})`
}
