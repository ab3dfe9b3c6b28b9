// Calls of bare bindings: the argument goes in as text, and so does the result come out. What either only moves keeps its text.

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

/** A result of a binding that is written where it is called: its text would be read back as the same value, else the interpreter calls it. */
export const plainNumber = (n: number): number => (n < 2 ** 53 && n > -(2 ** 53) ? n + 0 : leave())

/** The same of any value; a string may be too large to be written. */
export const plainValue = (value: RuntimeValue): RuntimeValue => {
  if (typeof value === 'number') return plainNumber(value)
  return typeof value === 'string' && value.length >= 2 ** 20 ? leave() : value
}

/** What bindings that are called have left out of lists. The caller that evaluates an expression takes what it has added. */
export const leftOut: Fault[] = []
