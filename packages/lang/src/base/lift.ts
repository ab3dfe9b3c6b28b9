// map(f) for a bare binding f: which bindings are allowed, and whether they call tools.

import { error, type Report } from '../diagnostic/diagnostic.js'
import { type Bound, findBinding, printName, type Scope } from '../names/names.js'
import type { QualifiedName } from '../parse/ast.js'
import { planIfRight } from './base-chain.js'
import { boundsCalled } from './base-plan.js'

/** The binding that map applies. Undefined: it has an error, already reported. */
export const liftable = (name: QualifiedName, scope: Scope, report: Report): Bound | undefined => {
  const bound = findBinding(name, scope, report, (b) => b.category === 'base')
  if (bound === 'unknown' || bound.category === 'unknown') return undefined
  const { span } = name
  const text = printName(name)
  if (bound.category === 'value') {
    report(error('not_a_process', `'${text}' is a config value, and map takes an expression or a bare binding`, span))
  } else if (bound.category === 'stream') {
    const help = `wire it instead of the map: '… ; ${text} ; …'`
    report(error('stream_in_base', `'${text}' is a process on streams, and map takes an expression or a bare binding`, span, help))
  } else return bound
  return undefined
}

/** Whether a bare binding is a tool, or calls one, directly or indirectly. */
export const callsTool = (bound: Bound): boolean => {
  const seen = new Set([bound])
  for (const next of seen) {
    if (next.binding.impl.kind === 'tool') return true
    for (const part of calledBy(next)) seen.add(part)
  }
  return false
}

/** The bare bindings that a bare chain calls: by name, and by map. */
export const calledBy = (bound: Bound): readonly Bound[] => {
  const known = calls.get(bound)
  if (known) return known
  const plan = planIfRight(bound)
  const found = plan ? boundsCalled(plan) : []
  calls.set(bound, found)
  return found
}

const calls = new WeakMap<Bound, readonly Bound[]>()
