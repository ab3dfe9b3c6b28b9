// Calls of bindings in expressions: no tools, since expressions have no effects, and a limited depth.

import { error, type Report } from '../diagnostic/diagnostic.js'
import { callsWithin, effectInExpression } from '../expression/infer/callee.js'
import type { Bound } from '../names/names.js'
import type { PartsOf } from './parts.js'

/** Far below the call stack of any machine. */
const MAX_CALLS = 100

/** `order`: each binding after its parts. */
export const checkCalls = (order: readonly Bound[], madeOf: PartsOf, report: Report): void => {
  const withTools = new Set<Bound>()
  const depths = new Map<Bound, number>()
  for (const bound of order) {
    const { binding, name } = bound
    const calls = callsWithin(bound)
    for (const { call, callee } of calls) {
      if (!withTools.has(callee)) continue
      report(effectInExpression({ call, callee }))
    }
    const parts = madeOf(bound)
    if (binding.impl.kind === 'tool' || parts.some((part) => withTools.has(part))) withTools.add(bound)
    const within = Math.max(0, ...parts.map((part) => depths.get(part) ?? 0))
    const depth = Math.max(within, ...calls.map(({ callee }) => 1 + (depths.get(callee) ?? 0)))
    depths.set(bound, depth > MAX_CALLS ? 0 : depth)
    if (depth <= MAX_CALLS) continue
    const help = 'name the bindings in a chain, one behind the other: f ; g'
    report(error('too_large', `'${name}' leads through more than ${MAX_CALLS} calls within each other`, binding.name.span, help))
  }
}
