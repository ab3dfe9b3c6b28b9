// What may be absent: optional fields under `has` and `??`.

import type { BinaryExpression, Expression } from '../../parse/ast.js'
import type { Generator } from './generator.js'

/** A field that may be absent: undefined when it is. */
export const emitBoxedOrAbsent = (e: Expression, g: Generator): string => {
  const path = g.path(e)
  const computed = g.computed(e)
  if (computed !== undefined) return computed
  if (path) return `(${isThere(path, g)} ? ${g.boxed(e)} : undefined)`
  return e.kind === 'field' ? `R.peek(${emitBoxedOrAbsent(e.of, g)}, ${g.key(e.field.text)})` : g.boxed(e)
}

export const isThere = (path: readonly (string | number)[], g: Generator): string =>
  g.input(path).kind === 'place' ? `${g.extent(path).start} >= 0` : 'true'

type Emit = (e: Expression, g: Generator) => string

export const emitCoalesce = (e: BinaryExpression, g: Generator, emit: Emit, unboxed: (boxed: string) => string): string => {
  const path = g.path(e.left)
  if (path) return `(${isThere(path, g)} ? ${emit(e.left, g)} : ${emit(e.right, g)})`
  const boxed = g.variable()
  return `((${boxed} = ${emitBoxedOrAbsent(e.left, g)}) !== undefined ? ${unboxed(boxed)} : ${emit(e.right, g)})`
}

export const emitHas = (e: Expression, g: Generator): string => {
  const path = g.path(e)
  return path ? `(${isThere(path, g)})` : `(${emitBoxedOrAbsent(e, g)} !== undefined)`
}
