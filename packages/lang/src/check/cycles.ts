// A binding made of itself would never end being laid open, and a plumb inside itself would start processes for ever.

import type { Chain, PlumbImplementation } from '../ast.js'
import type { Report } from '../diagnostic.js'
import { type Bound, findBinding, type Scope } from '../names.js'
import { memberOf } from './member.js'

/** The bindings that stand in a circle or are made of one that does: none of them can be laid open. Each circle is told once. */
export const findCircles = (all: readonly Bound[], report: Report): ReadonlySet<Bound> => {
  const state = new Map<Bound, 'open' | 'done'>()
  const path: Bound[] = []
  const inCircle = new Set<Bound>()
  const visit = (bound: Bound) => {
    state.set(bound, 'open')
    path.push(bound)
    for (const next of partsOf(bound)) {
      if (state.get(next) === 'open') {
        const circle = path.slice(path.indexOf(next))
        for (const b of circle) inCircle.add(b)
        const names = [...circle, next].map((b) => b.name).join(' -> ')
        report({ severity: 'error', code: 'definition_cycle', message: `'${next.name}' is made of itself: ${names}`, span: next.binding.name.span })
      } else if (!state.has(next)) visit(next)
    }
    path.pop()
    state.set(bound, 'done')
  }
  for (const bound of all) if (!state.has(bound)) visit(bound)
  return inCircle.size === 0 ? inCircle : withThoseMadeOf(inCircle, all)
}

const withThoseMadeOf = (circles: ReadonlySet<Bound>, all: readonly Bound[]): ReadonlySet<Bound> => {
  const reached = new Set(circles)
  const parts = new Map(all.map((bound) => [bound, partsOf(bound)]))
  let size = 0
  while (size < reached.size) {
    size = reached.size
    for (const [bound, inside] of parts) if (inside.some((part) => reached.has(part))) reached.add(bound)
  }
  return reached
}

/** The bindings whose processes stand inside this one. What an agent may call as a tool is another matter. */
export const partsOf = ({ binding: { impl }, scope }: Bound): Bound[] => {
  switch (impl.kind) {
    case 'agent':
    case 'tool':
    case 'object':
      return []
    case 'plumb':
      return inBody(impl, scope)
    default:
      return inChain(impl, scope)
  }
}

const inBody = (impl: PlumbImplementation, scope: Scope): Bound[] => {
  const local = new Set(impl.parameters.map((p) => p.text))
  for (const s of impl.statements) if (s.kind === 'channel') local.add(s.name.text)
  return impl.statements.flatMap((s) => {
    if (s.kind === 'wire') return inChain(s.chain, scope, local)
    return s.kind === 'spawn' ? inChain({ kind: 'reference', name: s.process, span: s.span }, scope) : []
  })
}

const inChain = (chain: Chain, scope: Scope, local: ReadonlySet<string> = new Set()): Bound[] => {
  switch (chain.kind) {
    case 'sequence':
    case 'tensor':
    case 'choice':
      return chain.items.flatMap((item) => inChain(item, scope, local))
    case 'trace':
      return inChain(chain.chain, scope, local)
    case 'field': {
      const member = memberOf(chain, scope)
      return inChain(member ?? chain.of, scope, local)
    }
    case 'reference': {
      if (!chain.name.module && local.has(chain.name.name.text)) return []
      const bound = findBinding(chain.name, scope, () => {})
      return bound === 'unknown' ? [] : [bound]
    }
    default:
      return []
  }
}
