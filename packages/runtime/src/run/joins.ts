// What the barriers of a graph join, and which nodes on the way have to report what they lose.

import type { GraphNode, GraphPosition, Parting } from '@plumb/lang'
import type { SpawnSettings } from '../child/agent-start.js'
import type { Edges } from '../graph/edges.js'
import type { BarrierOptions } from '../graph/morphism/barrier.js'

export class Joins {
  readonly #partings: ReadonlyMap<GraphNode, Parting>
  /** Nodes whose losses a barrier may wait for. */
  readonly #lossy: ReadonlySet<GraphNode>

  constructor(partings: readonly Parting[]) {
    this.#partings = new Map(partings.map((parting) => [parting.barrier, parting]))
    this.#lossy = new Set(partings.flatMap(({ branches }) => branches.flatMap((nodes) => [...nodes])))
  }

  /** Where branches split; a node may be listed several times. */
  get places(): readonly GraphPosition[] {
    return [...this.#partings.values()].flatMap(({ place }) => place ?? [])
  }

  /** Where the branches of a barrier leave the node at several outputs. */
  partingAt(node: GraphNode): GraphPosition | undefined {
    return this.places.find((place) => place.node === node && place.output === undefined)
  }

  isLossy(node: GraphNode): boolean {
    return this.#lossy.has(node)
  }

  /** It is between a barrier and the place where its branches split. */
  isOnBranch(node: GraphNode): boolean {
    return [...this.#partings.values()].some(({ place, branches }) => place && branches.some((nodes) => nodes.has(node)))
  }

  optionsOf(barrier: GraphNode, edges: Edges, { options, deliveries }: SpawnSettings): Omit<BarrierOptions, 'lost'> {
    const parting = this.#partings.get(barrier)
    const branches = barrier.inputs.map((_, i) => ({
      name: edges.into(barrier, i)[0]?.from.name ?? '',
      nodes: parting?.branches[i] ?? NO_NODES,
    }))
    const before = new Set(branches.flatMap(({ nodes }) => [...nodes].filter(({ work }) => work.kind === 'barrier')))
    // The part of a run by workers: each message is settled with what came of it.
    const how = { maxWaiting: options.run.maxInFlight, reportsEach: deliveries !== undefined }
    return { name: barrier.name, place: parting?.place, branches, rank: before.size, ...how }
  }
}

const NO_NODES: ReadonlySet<GraphNode> = new Set()
