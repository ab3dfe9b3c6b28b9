// A binding made of itself would never end being expanded, and a plumb inside itself would start processes for ever.

import { findCycles } from '../declare/find-cycle.js'
import { error, type Report } from '../diagnostic/diagnostic.js'
import type { Bound } from '../names/names.js'
import type { PartsOf } from './parts.js'

/** Every binding behind those it is made of. Each cycle is reported once. */
export const inOrder = (all: readonly Bound[], partsOf: PartsOf, report: Report): readonly Bound[] => {
  const told = new Set<Bound>()
  return findCycles(all, partsOf, (circle) => {
    const isTold = circle.some((bound) => told.has(bound))
    for (const bound of circle) told.add(bound)
    const [first] = circle
    if (isTold || !first) return
    const names = [...circle, first].map((b) => b.name).join(' -> ')
    report(error('definition_cycle', `'${first.name}' is made of itself: ${names}`, first.binding.name.span))
  })
}
