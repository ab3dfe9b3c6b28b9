// Refuses types that are nested by name thousands deep: recursion over types would exhaust the stack, and no value is nested so.

import { error, type Report } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import type { NamedType } from '../types/type.js'
import { findCycles } from './find-cycle.js'
import { namesIn } from './mentions.js'

/** The number of names on the way to an inner type. */
const MAX_NESTED = 3000

/** The declared types that are nested too deep; the first of them is reported. */
export const refuseNested = (declared: ReadonlyMap<NamedType, Span>, report: Report): ReadonlySet<NamedType> => {
  const depths = new Map<NamedType, number>()
  const refused = new Set<NamedType>()
  const inside = new Map([...declared.keys()].map((type) => [type, namesIn(type.target)]))
  const refuse = (type: NamedType): void => {
    const span = declared.get(type)
    const message = `type '${type.name}' holds others more than ${MAX_NESTED.toLocaleString('en')} names deep`
    if (refused.size === 0 && span) report(error('too_large', message, span, 'no value may be nested more than 512 deep'))
    refused.add(type)
  }
  const order = findCycles(
    declared.keys(),
    (type) => inside.get(type) ?? [],
    (cycle) => {
      const [first] = cycle
      if (first && cycle.length > MAX_NESTED) refuse(first)
    },
  )
  for (const type of order) {
    // A recursive reference has no depth of its own yet.
    const depth = (inside.get(type) ?? []).reduce((most, other) => Math.max(most, (depths.get(other) ?? 0) + 1), 0)
    depths.set(type, depth)
    if (depth > MAX_NESTED) refuse(type)
  }
  return refused
}
