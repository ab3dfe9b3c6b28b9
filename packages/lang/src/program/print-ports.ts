// The types of a binding's ports as text: `!` before those of streams, `?` for one that is unknown.

import type { Bound } from '../names/names.js'
import { printType } from '../types/print.js'

export interface PrintedPorts {
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
}

/** `maxSize`: as of printType. */
export const printPorts = ({ category, inputs, outputs }: Bound, maxSize?: number): PrintedPorts => {
  const mark = category === 'stream' ? '!' : ''
  const print = (types: Bound['inputs']) => types.map((type) => (type ? mark + printType(type, maxSize) : '?'))
  return { inputs: print(inputs), outputs: print(outputs) }
}
