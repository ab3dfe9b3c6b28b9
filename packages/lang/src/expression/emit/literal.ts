// Literals → JavaScript expressions.

import type { Expression, LiteralExpression } from '../../parse/ast.js'
import { type RuntimeValue, Slice, valueOfText } from '../run/slice.js'
import type { Generator } from './generator.js'

export const emitLiteral = (e: LiteralExpression, g: Generator): string => {
  if (typeof e.value === 'string') return g.text(e.value)
  if (typeof e.value !== 'number') return String(e.value)
  // One that is too large fails when it is computed with, like any other.
  return isBig(e.text) ? `R.${readerOf(e, g)}(${emitNumeral(e.text, g)}, ${g.site(e)})` : `(${e.value})`
}

/** The value of a param, in the form of its type. */
export const emitConstant = (json: string, e: Expression, g: Generator): string => {
  const form = g.form(e)
  if (form !== 'int' && form !== 'number') return emitBoxedConstant(json, g)
  return isBig(json) ? `R.${readerOf(e, g)}(${emitBoxedConstant(json, g)}, ${g.site(e)})` : `(${Number(json)})`
}

const readerOf = (e: Expression, g: Generator): string => (g.form(e) === 'int' ? 'intOf' : 'numberOf')

/** The same as a `RuntimeValue`. */
export const emitBoxedConstant = (json: string, g: Generator): string => {
  const value: RuntimeValue = valueOfText(json)
  if (typeof value === 'string') return g.text(value)
  return value instanceof Slice ? g.slice(json) : String(value)
}

export const isBig = (numeral: string): boolean => Math.abs(Number(numeral)) >= 2 ** 53

/** A number as its text, boxed. A byte follows it, at which every scan stops. */
export const emitNumeral = (text: string, g: Generator): string => `new R.Slice(${g.bytes(`${text}\0`)}, 0, ${text.length})`
