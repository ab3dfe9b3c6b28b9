// Generates JavaScript expressions. A value is in the form of its type (generator.ts); `emitBoxed` instead keeps moved values as slices of
// their text, so that they can be written or taken apart later without loss.

import { unreachable } from '../../diagnostic/unreachable.js'
import type { Expression, RecordExpression, SliceExpression, Template } from '../../parse/ast.js'
import { type Form, isMerged, numeralOf, type ValuePosition } from '../infer/checked.js'
import { emitCoalesce, emitMapKey } from './absent.js'
import { emitLet, emitMatch } from './bind.js'
import { emitCall, emitInlinedValue, emitSorting } from './call.js'
import type { Generator } from './generator.js'
import { emitBoxedConstant, emitConstant, emitLiteral, emitNumeral } from './literal.js'
import { emitBool, emitIndex, emitInt, emitNumber, emitString } from './operand.js'
import { emitBinary } from './operator.js'

export const emitValue = (e: Expression, g: Generator): string => {
  const form = g.form(e)
  const computed = g.computed(e)
  if (computed) return computed.form === 'boxed' && form !== 'boxed' ? emitUnboxed(computed.variable, form, e, g) : computed.variable
  if (form === 'boxed') return emitBoxed(e, g)
  const place = g.place(e)
  if (place) return decodePart(place, form, e, g)
  const constant = g.checked.constant(e)
  if (constant !== undefined) return emitConstant(constant, e, g)
  switch (e.kind) {
    case 'if':
      return `(${emitBool(e.condition, g)} ? ${emitValue(e.then, g)} : ${emitValue(e.else, g)})`
    case 'let':
      return emitLet(e, g, (body) => emitValue(body, g))
    case 'match':
      return emitMatch(e, g, (body) => emitValue(body, g))
    case 'binary':
      return e.operator === '??'
        ? emitCoalesce(e, g, emitValue, (boxed) => emitUnboxed(boxed, g.form(e.left), e.left, g))
        : emitComputed(e, g)
    case 'call':
      return emitInlinedValue(e, g) ?? (g.checked.resultOf(e) === 'moved' ? emitUnboxed(emitCall(e, g), form, e, g) : emitComputed(e, g))
    case 'field':
    case 'index':
      return emitUnboxed(emitBoxed(e, g), form, e, g)
    case 'name':
    case 'literal':
    case 'unary':
    case 'slice':
    case 'record':
    case 'list':
    case 'comprehension':
    case 'template':
      return emitComputed(e, g)
    default:
      return unreachable(e)
  }
}

const decodePart = (place: ValuePosition, form: Form, e: Expression, g: Generator): string => {
  switch (form) {
    case 'string':
      return g.once('s', place, ({ buf, start, end }) => `R.stringAt(${buf}, ${start} + 1, ${end} - 1)`)
    case 'int':
      return g.once('i', place, ({ buf, start, end }) => `R.intAt(${buf}, ${start}, ${end}, ${g.site(e)})`)
    case 'number':
      return g.once('n', place, ({ buf, start, end }) => `R.numberAt(${buf}, ${start}, ${end}, ${g.site(e)})`)
    case 'bool': {
      const { buf, start } = g.extent(place)
      return `(${buf}[${start}] === 116)`
    }
    default:
      return 'null'
  }
}

const emitUnboxed = (boxed: string, form: Form, e: Expression, g: Generator): string => {
  switch (form) {
    case 'string':
      return `R.stringOfValue(${boxed})`
    case 'int':
      return `R.intOf(${boxed}, ${g.site(e)})`
    case 'number':
      return `R.numberOf(${boxed}, ${g.site(e)})`
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
  if (computed) return computed.variable
  const place = g.place(e)
  if (place) {
    const { buf, start, end } = g.extent(place)
    return `new R.Slice(${buf}, ${start}, ${end})`
  }
  const constant = g.checked.constant(e)
  if (constant !== undefined) return emitBoxedConstant(constant, g)
  const numeral = numeralOf(e)
  if (numeral !== undefined) return emitNumeral(numeral, g)
  switch (e.kind) {
    case 'if':
      return `(${emitBool(e.condition, g)} ? ${emitBoxed(e.then, g)} : ${emitBoxed(e.else, g)})`
    case 'let':
      return emitLet(e, g, (body) => emitBoxed(body, g))
    case 'match':
      return emitMatch(e, g, (body) => emitBoxed(body, g))
    case 'binary':
      return e.operator === '??' ? emitCoalesce(e, g, emitBoxed, (boxed) => boxed) : emitComputed(e, g)
    case 'call':
      return g.checked.resultOf(e) === 'strings' ? `R.listOf(${emitCall(e, g)})` : emitComputed(e, g)
    case 'field':
      return `R.fieldIn(${emitBoxed(e.of, g)}, ${g.key(e.field.text)}, ${g.site(e)})`
    case 'index': {
      const of = emitBoxed(e.of, g)
      if (g.checked.isKeyed(e)) return `R.fieldIn(${of}, ${emitMapKey(e, g)}, ${g.site(e)})`
      if (g.checked.isOfEither(e)) return `R.partIn(${of}, ${emitBoxed(e.index, g)}, ${g.site(e)}, ${g.site(e.index)})`
      return `R.itemIn(${of}, ${emitIndex(e.index, g)}, ${g.site(e)})`
    }
    case 'list':
    case 'comprehension':
      return `R.build(${g.writer(e)})`
    case 'record':
      return isMerged(e, g) ? emitMerge(e, g) : `R.build(${g.writer(e)})`
    case 'name':
    case 'literal':
    case 'unary':
    case 'slice':
    case 'template':
      return emitComputed(e, g)
    default:
      return unreachable(e)
  }
}

// Computed values: operators, literals, functions.
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
    case 'slice':
      return emitSlice(e, g)
    case 'template':
      return emitTemplate(e, g)
    case 'name':
    case 'field':
    case 'index':
    case 'if':
    case 'let':
    case 'match':
    case 'record':
    case 'list':
    case 'comprehension':
      throw new TypeError(`not computed: ${e.kind}`)
    default:
      return unreachable(e)
  }
}

const emitSlice = (e: SliceExpression, g: Generator): string => {
  const bounds = [e.from, e.to].map((bound) => (bound ? emitInt(bound, g) : 'undefined')).join(', ')
  if (g.form(e) === 'string') return `R.sliceText(${emitString(e.of, g)}, ${bounds})`
  const isFixed = [e.from, e.to].every((bound) => !bound || numeralOf(bound) !== undefined)
  const sorting = isFixed && e.of.kind === 'call' ? emitSorting(e.of, g) : undefined
  if (sorting) return `R.sliceSorted(${sorting}, ${bounds})`
  return `R.sliceAny(${g.boxed(e.of)}, ${bounds}, ${g.site(e)})`
}

const emitTemplate = ({ texts, holes }: Template, g: Generator): string => {
  const parts = texts.flatMap(({ text }, i) => {
    const hole = holes[i - 1]
    return [...(hole ? [emitText(hole, g)] : []), g.text(text)]
  })
  return `(${parts.join(' + ')})`
}

/** As the function `text`. */
const emitText = (e: Expression, g: Generator): string => (g.form(e) === 'string' ? g.value(e) : `R.textOf(${g.boxed(e)})`)

const emitMerge = (e: RecordExpression, g: Generator): string => {
  const parts = e.parts.map((part) => {
    if (part.kind === 'spread') return `R.expectObject(${emitBoxed(part.of, g)}, ${g.site(part.of)})`
    const key = part.kind === 'field' ? g.key(part.name.text) : `R.keyOf(${emitString(part.key, g)})`
    return `[${key}, ${emitBoxed(part.value, g)}]`
  })
  return `R.merge(${parts.join(', ')})`
}
