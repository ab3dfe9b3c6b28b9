// What the barriers of a graph join, and what has to be known for that on the way to them.

import type { GraphNode, OriginPlace, Parting } from '@plumb/lang'
import type { Edges } from '../graph/edges.js'
import type { BarrierOptions } from '../graph/morphism/barrier.js'

export class Joins {
  readonly #partings: ReadonlyMap<GraphNode, Parting>
  /** Where something lost may be what a barrier waits for. */
  readonly #lossy: ReadonlySet<GraphNode>

  constructor(partings: readonly Parting[]) {
    this.#partings = new Map(partings.map((parting) => [parting.barrier, parting]))
    this.#lossy = new Set(partings.flatMap(({ branches }) => branches.flatMap((nodes) => [...nodes])))
  }

  /** Where branches part; one may stand here several times. */
  get places(): readonly OriginPlace[] {
    return [...this.#partings.values()].flatMap(({ place }) => place ?? [])
  }

  /** Where the branches of a barrier leave the node at several outputs. */
  partingAt(node: GraphNode): OriginPlace | undefined {
    return this.places.find((place) => place.node === node && place.output === undefined)
  }

  isLossy(node: GraphNode): boolean {
    return this.#lossy.has(node)
  }

  /** It stands between a barrier and the place where the branches of that part. */
  isOnBranch(node: GraphNode): boolean {
    return [...this.#partings.values()].some(({ place, branches }) => place && branches.some((nodes) => nodes.has(node)))
  }

  optionsOf(barrier: GraphNode, edges: Edges): Pick<BarrierOptions, 'name' | 'place' | 'branches' | 'rank'> {
    const parting = this.#partings.get(barrier)
    const branches = barrier.inputs.map((_, i) => ({
      name: edges.into(barrier, i)[0]?.from.name ?? '',
      nodes: parting?.branches[i] ?? NO_NODES,
    }))
    const before = new Set(branches.flatMap(({ nodes }) => [...nodes].filter(({ work }) => work.kind === 'barrier')))
    return { name: barrier.name, place: parting?.place, branches, rank: before.size }
  }
}

const NO_NODES: ReadonlySet<GraphNode> = new Set()
