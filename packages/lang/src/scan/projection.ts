// The paths that a scanner captures, as a tree parallel to the type.

import type { Path } from './scanner.js'

/** The wanted paths as a tree; `slots` are the numbers of the paths that end here. */
export interface Projection {
  readonly slots: number[]
  readonly below: Map<string | number, Projection>
}

export const projectionOf = (paths: readonly Path[]): Projection => {
  const root: Projection = { slots: [], below: new Map() }
  paths.forEach((path, slot) => {
    let node = root
    for (const step of path) {
      const next: Projection = node.below.get(step) ?? { slots: [], below: new Map() }
      node.below.set(step, next)
      node = next
    }
    node.slots.push(slot)
  })
  return root
}

export const slotsOf = (w: Projection): number[] => [...w.slots, ...[...w.below.values()].flatMap(slotsOf)]
