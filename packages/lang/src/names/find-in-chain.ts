// Searches a chain and all its parts, in the order written.

import type { Chain, Implementation } from '../parse/ast.js'
import { isChain, partsOfChain } from '../parse/chain-parts.js'
import { memberOf } from './member.js'
import { type Bound, resolveName, type Scope } from './names.js'

export interface ChainPosition {
  readonly chain: Chain
  readonly scope: Scope
}

/** The first result of `pick`. Searches named chains, and with `intoBodies` the bodies of plumbs. */
export const findInChain = <T>(start: ChainPosition, pick: (chain: Chain) => T | undefined, intoBodies = false): T | undefined => {
  const seen = new Set<Bound>()
  const waiting = [start]
  const open = (bound: Bound | undefined): void => {
    if (!bound || seen.has(bound)) return
    seen.add(bound)
    const { impl } = bound.binding
    if (isChain(impl)) waiting.push({ chain: impl, scope: bound.scope })
    else if (intoBodies && impl.kind === 'plumb') waiting.push(...positionsIn(impl, bound.scope).toReversed())
  }
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { chain, scope } = next
    const found = pick(chain)
    if (found !== undefined) return found
    if (chain.kind === 'reference') open(resolveName(chain.name, scope))
    else if (chain.kind === 'field') waiting.push({ chain: memberOf(chain, scope) ?? chain.of, scope })
    else for (const part of partsOfChain(chain).toReversed()) waiting.push({ chain: part, scope })
  }
  return undefined
}

// A spawned process is in the body like a wired one.
const positionsIn = ({ statements }: Implementation & { kind: 'plumb' }, scope: Scope): ChainPosition[] =>
  statements.flatMap((s): ChainPosition[] => {
    if (s.kind === 'wire') return [{ chain: s.chain, scope }]
    return s.kind === 'spawn' ? [{ chain: { kind: 'reference', name: s.process, span: s.process.span }, scope }] : []
  })
