// A binding that contains itself could not be expanded, and a plumb inside itself would start processes for ever.

import { findCycles } from '../declare/find-cycle.js'
import { error, type Report } from '../diagnostic/diagnostic.js'
import type { Bound } from '../names/names.js'
import type { PartsOf } from './parts.js'

/** Every binding after its parts. Each cycle is reported once. */
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
