// How a choice between processes travels.

import type { Type } from '../types/type.js'

/** What tells a choice on the wire: `{ "choose": label }`. */
export const chosenType = (labels: readonly string[]): Type => ({
  kind: 'record',
  fields: [{ name: 'choose', type: { kind: 'sum', variants: labels.map((value) => ({ kind: 'literal', value })) }, isOptional: false }],
})
