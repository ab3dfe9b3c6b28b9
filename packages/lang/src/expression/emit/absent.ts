// Optional fields under `has` and `??`.

import type { BinaryExpression, Expression, IndexExpression } from '../../parse/ast.js'
import { isJson } from '../../types/kind.js'
import type { ValuePosition } from '../infer/checked.js'
import type { Generator } from './generator.js'
import { emitIndex } from './operand.js'

/** A field that may be absent: undefined if it is. */
const emitBoxedOrAbsent = (e: Expression, g: Generator, peek: 'peek' | 'peekIn'): string => {
  const place = g.place(e)
  const computed = g.computed(e)
  if (computed) return computed.variable
  if (place) return `(${isThere(place, g)} ? ${g.boxed(e)} : undefined)`
  if (e.kind === 'field' && g.checked.constant(e) === undefined) {
    return `R.${peek}(${emitBoxedOrAbsent(e.of, g, peek)}, ${g.key(e.field.text)}, ${g.site(e)})`
  }
  if (e.kind !== 'index') return g.boxed(e)
  const of = emitBoxedOrAbsent(e.of, g, peek)
  if (g.checked.isKeyed(e)) return `R.${peek}(${of}, ${emitMapKey(e, g)}, ${g.site(e)})`
  if (g.checked.isOfEither(e)) return `R.peekPart(${of}, ${g.boxed(e.index)}, ${g.site(e)}, ${g.site(e.index)}, R.${peek})`
  return `R.peekItem(${of}, ${emitIndex(e.index, g)}, ${g.site(e)})`
}

/** The left side of `??`: undefined where it is absent or null. */
export const emitLeft = (e: Expression, g: Generator): string => `R.present(${emitBoxedOrAbsent(e, g, 'peekIn')})`

/** The key of `m[k]`. */
export const emitMapKey = ({ index }: IndexExpression, g: Generator): string =>
  index.kind === 'literal' ? g.key(String(index.value)) : `R.keyOf(${g.value(index)})`

export const isThere = (place: ValuePosition, g: Generator): string =>
  g.input(place).kind === 'place' ? `${g.extent(place).start} >= 0` : 'true'

/** The same for the left side of `??`: neither absent nor null. */
export const isPresent = (e: Expression, place: ValuePosition, g: Generator): string => {
  const { type, mayBeNull } = g.fact(e)
  if (g.input(place).kind !== 'place' || !(mayBeNull || isJson(type))) return isThere(place, g)
  const { buf, start } = g.extent(place)
  return `${start} >= 0 && ${buf}[${start}] !== 110`
}

type Emit = (e: Expression, g: Generator) => string

export const emitCoalesce = (e: BinaryExpression, g: Generator, emit: Emit, unboxed: (boxed: string) => string): string => {
  const place = g.place(e.left)
  if (place) return `(${isPresent(e.left, place, g)} ? ${emit(e.left, g)} : ${emit(e.right, g)})`
  const boxed = g.variable()
  return `((${boxed} = ${emitLeft(e.left, g)}) !== undefined ? ${unboxed(boxed)} : ${emit(e.right, g)})`
}

export const emitHas = (e: Expression, g: Generator): string => {
  const place = g.place(e)
  return place ? `(${isThere(place, g)})` : `(${emitBoxedOrAbsent(e, g, 'peek')} !== undefined)`
}
