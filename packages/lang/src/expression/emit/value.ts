// Expressions → JavaScript expressions. A value is in the form of its type (generator.ts); `emitBoxed` instead keeps what is only
// moved as a slice of its text, so that it can be written or taken apart later without loss.

import { unreachable } from '../../diagnostic/unreachable.js'
import type { Expression, RecordExpression } from '../../parse/ast.js'
import { type Form, isMerged, numeralOf } from '../infer/checked.js'
import { functionOf } from '../run/function.js'
import { emitCoalesce } from './absent.js'
import { emitCall } from './call.js'
import type { Generator } from './generator.js'
import { emitLiteral, emitNumeral } from './literal.js'
import { emitBool, emitIndex, emitNumber } from './operand.js'
import { emitBinary } from './operator.js'

export const emitValue = (e: Expression, g: Generator): string => {
  const form = g.form(e)
  const computed = g.computed(e)
  if (computed !== undefined) return computed
  if (form === 'boxed') return emitBoxed(e, g)
  const path = g.path(e)
  if (path) {
    const { start, end } = g.extent(path)
    return decodePart(start, end, form, e, g)
  }
  switch (e.kind) {
    case 'if':
      return `(${emitBool(e.condition, g)} ? ${emitValue(e.then, g)} : ${emitValue(e.else, g)})`
    case 'binary':
      return e.operator === '??'
        ? emitCoalesce(e, g, emitValue, (boxed) => emitUnboxed(boxed, g.form(e.left), e.left, g))
        : emitComputed(e, g)
    case 'call':
      return functionOf(e.function.text)?.result === 'moved' ? emitUnboxed(emitCall(e, g), form, e, g) : emitComputed(e, g)
    case 'field':
    case 'index':
      return emitUnboxed(emitBoxed(e, g), form, e, g)
    case 'name':
    case 'literal':
    case 'unary':
    case 'record':
    case 'list':
      return emitComputed(e, g)
    default:
      return unreachable(e)
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

const emitUnboxed = (boxed: string, form: Form, e: Expression, g: Generator): string => {
  switch (form) {
    case 'string':
      return `R.stringOf(${boxed})`
    case 'int':
      return `R.intOf(${boxed}, ${g.site(e)})`
    case 'number':
      return `R.numberOf(${boxed})`
    case 'bool':
      return `R.boolOf(${boxed})`
    case 'unit':
      return `(${boxed}, null)`
    default:
      return boxed
  }
}

export const emitBoxed = (e: Expression, g: Generator): string => {
  const computed = g.computed(e)
  if (computed !== undefined) return computed
  const path = g.path(e)
  if (path) {
    const { start, end } = g.extent(path)
    return `new R.Slice(b, ${start}, ${end})`
  }
  const numeral = numeralOf(e)
  if (numeral !== undefined) return emitNumeral(numeral, g)
  switch (e.kind) {
    case 'if':
      return `(${emitBool(e.condition, g)} ? ${emitBoxed(e.then, g)} : ${emitBoxed(e.else, g)})`
    case 'binary':
      return e.operator === '??' ? emitCoalesce(e, g, emitBoxed, (boxed) => boxed) : emitComputed(e, g)
    case 'call':
      return functionOf(e.function.text)?.result === 'strings' ? `R.listOf(${emitCall(e, g)})` : emitComputed(e, g)
    case 'field':
      return `R.fieldIn(${emitBoxed(e.of, g)}, ${g.key(e.field.text)}, ${g.site(e)})`
    case 'index':
      return `R.itemIn(${emitBoxed(e.of, g)}, ${emitIndex(e.index, g)}, ${g.site(e)})`
    case 'list':
      return `R.build(${g.writer(e)})`
    case 'record':
      return isMerged(e, g) ? emitMerge(e, g) : `R.build(${g.writer(e)})`
    case 'name':
    case 'literal':
    case 'unary':
      return emitComputed(e, g)
    default:
      return unreachable(e)
  }
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
    case 'name':
    case 'field':
    case 'index':
    case 'if':
    case 'record':
    case 'list':
      throw new TypeError(`not computed: ${e.kind}`)
    default:
      return unreachable(e)
  }
}

const emitMerge = (e: RecordExpression, g: Generator): string => {
  const parts = e.parts.map((part) =>
    part.kind === 'field'
      ? `[${g.key(part.name.text)}, ${emitBoxed(part.value, g)}]`
      : `R.expectObject(${emitBoxed(part.of, g)}, ${g.site(part.of)})`,
  )
  return `R.merge(${parts.join(', ')})`
}
