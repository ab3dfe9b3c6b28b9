// Calls of bare bindings: the argument and the result are passed as text. Moved values keep their text.

import type { Fault } from '@plumb/wire/error'
import type { Apply } from '../../names/names.js'
import { leave } from './failure.js'
import { type RuntimeValue, Slice } from './slice.js'
import { build, putValue } from './write.js'

export const applyTo = (apply: Apply, argument: RuntimeValue): Slice => {
  const message = argument instanceof Slice ? argument : build((out) => putValue(out, out.at, argument))
  const { buf, start, end } = apply(message)
  return new Slice(buf, start, end)
}

/** The result of an inlined binding: if its text would be read back differently, the interpreter calls it. */
export const plainNumber = (n: number): number => (n < 2 ** 53 && n > -(2 ** 53) ? n + 0 : leave())

/** The same for any value; a string may be too large to be written. */
export const plainValue = (value: RuntimeValue): RuntimeValue => {
  if (typeof value === 'number') return plainNumber(value)
  return typeof value === 'string' && value.length >= 2 ** 20 ? leave() : value
}

/** Elements that called bindings have left out of lists. The caller that evaluates an expression takes those that were added. */
export const leftOut: Fault[] = []
