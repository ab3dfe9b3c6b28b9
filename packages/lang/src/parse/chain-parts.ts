// What a chain is made of: the one table for every walk that treats all parts alike, and the parts that the laws of `;` and `*` give.

import { unreachable } from '../diagnostic/unreachable.js'
import type { Chain, Implementation } from './ast.js'

export const isChain = (impl: Implementation): impl is Chain =>
  impl.kind !== 'agent' && impl.kind !== 'tool' && impl.kind !== 'plumb' && impl.kind !== 'object'

/** The chains that are in it, one step deep, in the order written. */
export const partsOfChain = (chain: Chain): readonly Chain[] => {
  switch (chain.kind) {
    case 'sequence':
    case 'tensor':
    case 'choice':
      return chain.items
    case 'each':
    case 'trace':
      return [chain.chain]
    case 'field':
      return [chain.of]
    case 'id':
    case 'copy':
    case 'merge':
    case 'discard':
    case 'empty':
    case 'barrier':
    case 'flatten':
    case 'batch':
    case 'fold':
    case 'map':
    case 'filter':
    case 'project':
    case 'endorse':
    case 'declassify':
    case 'reference':
      return []
    default:
      return unreachable(chain)
  }
}

/** All chains of a binding at any depth, in the order written. */
export const chainsOf = (impl: Implementation): readonly Chain[] => {
  const found: Chain[] = []
  if (isChain(impl)) addChains(impl, found)
  else if (impl.kind === 'plumb') for (const s of impl.statements) if (s.kind === 'wire') addChains(s.chain, found)
  return found
}

const addChains = (chain: Chain, found: Chain[]): void => {
  found.push(chain)
  for (const part of partsOfChain(chain)) addChains(part, found)
}

/** `(a * b) * c` is `a * b * c`. */
export const partsOfTensor = (chain: Chain & { kind: 'tensor' }): readonly Chain[] =>
  chain.items.flatMap((item) => (item.kind === 'tensor' ? partsOfTensor(item) : [item]))

/** Where what comes out of a chain is made: that is where a wrong result is shown. */
export const lastOf = (chain: Chain): Chain => (chain.kind === 'sequence' ? lastOf(chain.items.at(-1) ?? chain) : chain)

/** What meets the input of a chain first. */
export const firstOf = (chain: Chain): Chain => (chain.kind === 'sequence' ? firstOf(chain.items[0] ?? chain) : chain)
