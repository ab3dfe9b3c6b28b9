// Bindings that repeatedly double what they name would exceed any memory when they are expanded.

import { error, type Report } from '../diagnostic/diagnostic.js'
import type { Bound } from '../names/names.js'
import { MAX_PARTS } from '../parse/cursor.js'
import type { PartsOf } from './parts.js'

/** `order`: each binding after its parts. Only the first one that is too large is reported, not those that contain it. */
export const refuseLarge = (order: readonly Bound[], partsOf: PartsOf, report: Report): void => {
  const sizes = new Map<Bound, number>()
  for (const bound of order) {
    const { impl } = bound.binding
    if (impl.kind === 'object') continue
    const parts = partsOf(bound)
    // In a body a name is one instance, however often it occurs.
    const placed = impl.kind === 'plumb' ? [...new Set(parts)] : parts
    const size = placed.reduce((sum, part) => sum + (sizes.get(part) ?? 0), 1)
    sizes.set(bound, size > MAX_PARTS ? Number.POSITIVE_INFINITY : size)
    if (size <= MAX_PARTS || size === Number.POSITIVE_INFINITY) continue
    const message = `'${bound.name}' is made of more than ${MAX_PARTS.toLocaleString('en')} parts`
    report(
      error('too_large', message, bound.binding.name.span, 'what is named twice in a chain is there twice, with all that it is made of'),
    )
  }
}
