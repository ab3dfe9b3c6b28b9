// Types that a program does not write and its reader wants to see: of bindings without a signature, and of names in expressions.

import type { Compiled } from '../compile.js'
import type { Bound } from '../names/names.js'
import type { Expression, Name } from '../parse/ast.js'
import { isExpression } from './expression-at.js'
import { flowOf, knownOf } from './flow.js'
import { printPortType, printSignature } from './signature.js'

export interface Hint {
  /** The offset after the name. */
  readonly offset: number
  /** `: int`. */
  readonly text: string
}

/** A longer type would push the program out of sight. */
const MAX_CHARS = 60

export const hintsIn = ({ program }: Compiled): readonly Hint[] =>
  [...program.entry.bindings.values()]
    .flatMap((bound) => [...ofSignature(bound), ...ofLocals(bound)])
    .filter(({ text }) => text.length <= MAX_CHARS)
    .sort((a, b) => a.offset - b.offset)

const ofSignature = (bound: Bound): Hint[] => {
  const text = bound.binding.signature ? '' : printSignature(bound)
  return text === '' ? [] : [{ offset: bound.binding.name.span.end, text }]
}

const ofLocals = (bound: Bound): Hint[] => {
  const { inputs, states } = flowOf(bound)
  return [...inputs].flatMap(([whole, input]) => {
    if (!isWhole(whole)) return []
    const { declared } = knownOf(whole, input, bound.scope, states.get(whole))
    return [...declared].map(([name, { type }]) => ({ offset: name.span.end, text: `: ${printPortType(type)}` }))
  })
}

const isWhole = (whole: Expression | Name): whole is Expression => isExpression(whole)
