// Passes the value of an expression to a following one without writing it: to the next stage of a chain (fuse.ts), or to a called binding
// (inline.ts).

import { unreachable } from '../../diagnostic/unreachable.js'
import type { Expression, RecordExpression } from '../../parse/ast.js'
import { isPresent } from '../../types/required-fields.js'
import { resolve } from '../../types/type.js'
import { type Form, isMerged, numeralOf } from '../infer/checked.js'
import { CannotFuse, type FusedInput, recordInput } from './fused-input.js'
import type { Generator } from './generator.js'

/** `before` takes expressions that are evaluated first, in order. What can fail is computed there, whether it is needed or not. */
export const inputOf = (e: Expression, g: Generator, before: (code: string) => void): FusedInput => {
  const place = g.place(e)
  if (place) return g.input(place)
  if (e.kind === 'record' && !isMerged(e, g)) return recordOf(e, g, before)
  if (!isComputed(e, g)) throw new CannotFuse()
  const form = g.form(e)
  const variable = g.variable()
  if (form === 'int' || form === 'number') {
    before(`${variable} = ${g.value(e)} + 0`)
    before(isPlainNumber(variable))
  } else {
    before(`${variable} = ${g.value(e)}`)
    if (form === 'string') before(isPlainString(variable))
  }
  return { kind: 'value', variable, form }
}

// Else the interpreter takes the message: text has no -0, and a number with so many digits would be read back as another one.
const isPlainNumber = (v: string): string => `${v} < ${2 ** 53} && ${v} > ${-(2 ** 53)} || R.leave()`

// Else the interpreter checks whether it is too large.
const isPlainString = (v: string): string => `${v}.length < ${2 ** 20} || R.leave()`

/** The same for a result: `value`, as its text would be read back. */
export const plain = (value: string, form: Form): string => {
  if (form === 'int' || form === 'number') return `R.plainNumber(${value})`
  return form === 'string' || form === 'boxed' ? `R.plainValue(${value})` : value
}

const recordOf = (e: RecordExpression, g: Generator, before: (code: string) => void): FusedInput => {
  const fields = new Map<string, FusedInput>()
  for (const part of e.parts) {
    if (part.kind === 'computed') throw new CannotFuse()
    if (part.kind === 'field') {
      fields.set(part.name.text, inputOf(part.value, g, before))
      continue
    }
    const place = g.place(part.of)
    const type = resolve(g.fact(part.of).type)
    if (!place || type.kind !== 'record') throw new CannotFuse()
    for (const field of type.fields) {
      const from = g.input({ root: place.root, path: [...place.path, field.name] })
      if (isPresent(field)) fields.set(field.name, from)
      else if (fields.has(field.name) || from.kind !== 'place') throw new CannotFuse()
      else fields.set(field.name, { ...from, mayBeAbsent: true })
    }
  }
  return recordInput(fields)
}

/** Deeper than it was read: the depth has to be checked. */
export const isDeeper = (input: FusedInput, depth = 0): boolean => {
  if (input.kind === 'place') return depth > input.path.length
  return input.kind === 'record' && [...input.fields.values()].some((field) => isDeeper(field, depth + 1))
}

/** Its text is determined by its value: moved numbers and strings keep their original text. */
export const isComputed = (e: Expression, g: Generator): boolean => {
  if (g.form(e) === 'boxed') return false
  if (g.computed(e)) return true
  const constant = g.checked.constant(e)
  const numeral = numeralOf(e) ?? (constant !== undefined && /^[-\d]/.test(constant) ? constant : undefined)
  if (numeral !== undefined) return String(Number(numeral)) === numeral
  if (constant !== undefined) return true
  switch (e.kind) {
    case 'literal':
    case 'unary':
    case 'slice':
    case 'template':
      return true
    case 'binary':
      return e.operator !== '??'
    case 'call':
      return g.checked.resultOf(e) === 'value'
    case 'if':
      return isComputed(e.then, g) && isComputed(e.else, g)
    case 'let':
      return isComputed(e.body, g)
    case 'match':
      return e.arms.every((arm) => isComputed(arm.body, g))
    case 'name':
    case 'field':
    case 'index':
    case 'record':
    case 'list':
    case 'comprehension':
      return false
    default:
      return unreachable(e)
  }
}
