// The parts of a binding: the bindings in its chain, body or config.

import { findCycles } from '../declare/find-cycle.js'
import { error, type Report } from '../diagnostic/diagnostic.js'
import { calledIn, callsWithin } from '../expression/infer/callee.js'
import { memberOf } from '../names/member.js'
import { type Bound, resolveName, type Scope } from '../names/names.js'
import type { Chain, PlumbImplementation, QualifiedName, Value } from '../parse/ast.js'
import { partsOfChain } from '../parse/chain-parts.js'
import { nameIn } from './config.js'

export type PartsOf = (bound: Bound) => readonly Bound[]

/**
 * With repetitions. Without the tools of an agent, which may refer back to it. For a tool, only the tools that it combines: a process that
 * it lowers contains none.
 */
export const partsOfBinding = (bound: Bound): readonly Bound[] => {
  const found = known.get(bound) ?? findParts(bound)
  known.set(bound, found)
  return found
}

const known = new WeakMap<Bound, readonly Bound[]>()

const findParts = (bound: Bound): readonly Bound[] => {
  const { binding, scope } = bound
  const { impl } = binding
  switch (impl.kind) {
    case 'agent':
      return callsWithin(bound).map(({ callee }) => callee)
    case 'tool':
      return impl.config.entries.filter((e) => COMBINING.has(e.key.text)).flatMap((e) => namesIn(e.value).flatMap((n) => named(n, scope)))
    case 'object':
      return inValue(impl, scope)
    case 'plumb':
      return inBody(impl, scope)
    default:
      return inChain(impl, scope)
  }
}

/** Keys whose values name tools with the same types as this one. */
export const COMBINING: ReadonlySet<string> = new Set(['pool', 'handoff', 'spy', 'flaky'])

// Including those written as strings.
const namesIn = (value: Value): readonly QualifiedName[] => (value.kind === 'list' ? value.items : [value]).flatMap((v) => nameIn(v) ?? [])

const inValue = (value: Value, scope: Scope): readonly Bound[] => {
  switch (value.kind) {
    case 'name':
      return named(value.name, scope)
    case 'list':
      return value.items.flatMap((item) => inValue(item, scope))
    case 'object':
      return value.entries.flatMap((entry) => inValue(entry.value, scope))
    default:
      return []
  }
}

const inBody = (impl: PlumbImplementation, scope: Scope): readonly Bound[] => {
  const local = new Set(impl.parameters.map((p) => p.text))
  for (const s of impl.statements) if (s.kind === 'channel') local.add(s.name.text)
  return impl.statements.flatMap((s) => {
    if (s.kind === 'wire') return inChain(s.chain, scope, local)
    return s.kind === 'spawn' ? named(s.process, scope) : []
  })
}

const inChain = (chain: Chain, scope: Scope, local?: ReadonlySet<string>): readonly Bound[] => {
  switch (chain.kind) {
    case 'field':
      return inChain(memberOf(chain, scope) ?? chain.of, scope, local)
    case 'reference':
      return !chain.name.module && local?.has(chain.name.name.text) ? [] : named(chain.name, scope)
    default:
      return [...calledIn(chain, scope).map(({ callee }) => callee), ...partsOfChain(chain).flatMap((part) => inChain(part, scope, local))]
  }
}

const named = (name: QualifiedName, scope: Scope): readonly Bound[] => {
  const bound = resolveName(name, scope)
  return bound ? [bound] : []
}

/**
 * Every binding after its parts. Each cycle is reported once: a binding that contains itself could not be expanded, and a plumb inside
 * itself would start processes for ever.
 */
export const inOrder = (all: readonly Bound[], partsOf: PartsOf, report: Report): readonly Bound[] => {
  const reported = new Set<Bound>()
  return findCycles(all, partsOf, (cycle) => {
    const isReported = cycle.some((bound) => reported.has(bound))
    for (const bound of cycle) reported.add(bound)
    const [first] = cycle
    if (isReported || !first) return
    const names = [...cycle, first].map((b) => b.name).join(' -> ')
    report(error('definition_cycle', `'${first.name}' is made of itself: ${names}`, first.binding.name.span))
  })
}
