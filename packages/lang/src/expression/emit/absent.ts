// Optional fields under `has` and `??`.

import type { BinaryExpression, Expression, IndexExpression } from '../../parse/ast.js'
import type { ValuePosition } from '../infer/checked.js'
import type { Generator } from './generator.js'

/** A field that may be absent: undefined if it is. */
export const emitBoxedOrAbsent = (e: Expression, g: Generator): string => {
  const place = g.place(e)
  const computed = g.computed(e)
  if (computed !== undefined) return computed
  if (place) return `(${isThere(place, g)} ? ${g.boxed(e)} : undefined)`
  if (e.kind === 'field' && g.checked.constant(e) === undefined) return `R.peek(${emitBoxedOrAbsent(e.of, g)}, ${g.key(e.field.text)})`
  return e.kind === 'index' && g.checked.isKeyed(e) ? `R.peek(${emitBoxedOrAbsent(e.of, g)}, ${emitMapKey(e, g)})` : g.boxed(e)
}

/** The key of `m[k]`. */
export const emitMapKey = ({ index }: IndexExpression, g: Generator): string =>
  index.kind === 'literal' ? g.key(String(index.value)) : `R.keyOf(${g.value(index)})`

export const isThere = (place: ValuePosition, g: Generator): string =>
  g.input(place).kind === 'place' ? `${g.extent(place).start} >= 0` : 'true'

type Emit = (e: Expression, g: Generator) => string

export const emitCoalesce = (e: BinaryExpression, g: Generator, emit: Emit, unboxed: (boxed: string) => string): string => {
  const place = g.place(e.left)
  if (place) return `(${isThere(place, g)} ? ${emit(e.left, g)} : ${emit(e.right, g)})`
  const boxed = g.variable()
  return `((${boxed} = ${emitBoxedOrAbsent(e.left, g)}) !== undefined ? ${unboxed(boxed)} : ${emit(e.right, g)})`
}

export const emitHas = (e: Expression, g: Generator): string => {
  const place = g.place(e)
  return place ? `(${isThere(place, g)})` : `(${emitBoxedOrAbsent(e, g)} !== undefined)`
}
