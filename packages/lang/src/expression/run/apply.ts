// Calls of bare bindings: the argument goes in as text, and so does the result come out. What either only moves keeps its text.

import type { Fault } from '@plumb/wire/error'
import type { Apply } from '../../names/names.js'
import { type RuntimeValue, Slice } from './slice.js'
import { build, putValue } from './write.js'

export const applyTo = (apply: Apply, argument: RuntimeValue): Slice => {
  const message = argument instanceof Slice ? argument : build((out) => putValue(out, out.at, argument))
  const { buf, start, end } = apply(message)
  return new Slice(buf, start, end)
}

/** What bindings that are called have left out of lists. The caller that evaluates an expression takes what it has added. */
export const leftOut: Fault[] = []
