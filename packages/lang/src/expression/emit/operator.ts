// Generates operators.

import { unreachable } from '../../diagnostic/unreachable.js'
import type { BinaryExpression, Expression } from '../../parse/ast.js'
import type { Form } from '../infer/checked.js'
import { numeralOf } from '../infer/checked.js'
import { isHalved } from '../run/text.js'
import { emitCoalesce } from './absent.js'
import { emitLet, emitMatch } from './bind.js'
import { emitCall } from './call.js'
import type { Generator } from './generator.js'
import { emitNumeral, isBig } from './literal.js'
import { emitBool, emitNumber, emitString } from './operand.js'

const INT_OPERATORS = { '+': 'addInts', '-': 'subtractInts', '*': 'multiplyInts' } as const

const NUMBER_OPERATORS = { '+': 'addNumbers', '-': 'subtractNumbers', '*': 'multiplyNumbers' } as const

export const emitBinary = (e: BinaryExpression, g: Generator): string => {
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
      if (g.form(e) === 'boxed') return `R.add(${g.boxed(left)}, ${g.boxed(right)}, ${g.site(e)})`
      return g.form(e) === 'string' ? `(${emitString(left, g)} + ${emitString(right, g)})` : emitArithmetic(e, operator, g)
    case '-':
    case '*':
      return emitArithmetic(e, operator, g)
    case '??':
      throw new TypeError(`not computed: ${operator}`)
    default:
      return unreachable(operator)
  }
}

const emitArithmetic = (e: BinaryExpression, operator: keyof typeof INT_OPERATORS, g: Generator): string => {
  const [a, b] = [emitNumber(e.left, g), emitNumber(e.right, g)]
  return `R.${(g.form(e) === 'int' ? INT_OPERATORS : NUMBER_OPERATORS)[operator]}(${a}, ${b}, ${g.site(e)})`
}

const isNumeric = (form: Form): boolean => form === 'int' || form === 'number'

const emitEqual = (left: Expression, right: Expression, g: Generator): string => {
  const forms = [g.form(left), g.form(right)] as const
  if (forms.every(isNumeric)) return `(${emitExact(left, g)} == ${emitExact(right, g)})`
  if (forms[0] !== forms[1] || forms[0] === 'boxed') return `R.equal(${g.boxed(left)}, ${g.boxed(right)})`
  if (forms[0] !== 'string') return `(${g.value(left)} === ${g.value(right)})`
  return emitIsText(left, right, g) ?? emitIsText(right, left, g) ?? `(${g.value(left)} === ${g.value(right)})`
}

// A part against a literal: the bytes decide, without decoding.
const emitIsText = (part: Expression, literal: Expression, g: Generator): string | undefined => {
  const place = g.place(part)
  if (!place || literal.kind !== 'literal' || typeof literal.value !== 'string' || isHalved(literal.value)) return undefined
  const { buf, start, end } = g.extent(place)
  return `R.isText(${buf}, ${start} + 1, ${end} - 1, ${g.text(literal.value)}, ${g.bytes(literal.value)})`
}

const emitOrder = (e: BinaryExpression, g: Generator): string => {
  const { operator, left, right } = e
  const forms = [g.form(left), g.form(right)] as const
  if (forms.every(isNumeric)) return `(${emitExact(left, g)} ${operator} ${emitExact(right, g)})`
  if (forms.every((form) => form === 'string')) return `(R.compareStrings(${g.value(left)}, ${g.value(right)}) ${operator} 0)`
  return `(R.order(${g.boxed(left)}, ${g.boxed(right)}, ${g.site(e)}) ${operator} 0)`
}

/** A number for a comparison: a moved one is compared by its digits. */
const emitExact = (e: Expression, g: Generator): string => {
  const computed = g.computed(e)
  if (computed) return computed.form === 'boxed' ? `R.exactOf(${computed.variable})` : computed.variable
  const place = g.place(e)
  if (place) return g.once('x', place, ({ buf, start, end }) => `R.exactAt(${buf}, ${start}, ${end})`)
  const numeral = numeralOf(e)
  if (numeral !== undefined) return isBig(numeral) ? `R.exactOf(${emitNumeral(numeral, g)})` : `(${Number(numeral)})`
  switch (e.kind) {
    case 'if':
      return `(${emitBool(e.condition, g)} ? ${emitExact(e.then, g)} : ${emitExact(e.else, g)})`
    case 'let':
      return emitLet(e, g, (body) => emitExact(body, g))
    case 'match':
      return emitMatch(e, g, (body) => emitExact(body, g))
    case 'binary':
      return e.operator === '??' ? emitCoalesce(e, g, emitExact, (boxed) => `R.exactOf(${boxed})`) : g.value(e)
    case 'call':
      return g.checked.resultOf(e) === 'moved' ? `R.exactOf(${emitCall(e, g)})` : g.value(e)
    case 'unary':
      return g.value(e)
    case 'literal':
    case 'name':
    case 'field':
    case 'index':
    case 'slice':
    case 'record':
    case 'list':
    case 'comprehension':
    case 'template':
      return `R.exactOf(${g.boxed(e)})`
    default:
      return unreachable(e)
  }
}
