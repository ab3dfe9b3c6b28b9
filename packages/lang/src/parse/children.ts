// Parts of chains, by the laws of `;` and `*`.

import type { Chain } from './ast.js'

/** `(a * b) * c` is `a * b * c`. */
export const partsOfTensor = (chain: Chain & { kind: 'tensor' }): readonly Chain[] =>
  chain.items.flatMap((item) => (item.kind === 'tensor' ? partsOfTensor(item) : [item]))

/** Where what comes out of a chain is made: that is where a wrong result is shown. */
export const lastOf = (chain: Chain): Chain => (chain.kind === 'sequence' ? lastOf(chain.items.at(-1) ?? chain) : chain)

/** What meets the input of a chain first. */
export const firstOf = (chain: Chain): Chain => (chain.kind === 'sequence' ? firstOf(chain.items[0] ?? chain) : chain)
