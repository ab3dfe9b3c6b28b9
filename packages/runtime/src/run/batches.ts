// The batches of a graph, and those in its nested plumbs: they are flushed when they are full, at the end, or when the outer graph asks for
// it.

import type { GraphNode } from '@plumb/lang'
import { ChildProcess } from '../child/child.js'
import { type Cycle, type Gathering, gatheredIn, type Worker } from '../graph/cycle.js'
import { Batch, type BatchOptions, type BatchSettings } from '../graph/morphism/batch.js'
import { Calls } from '../graph/morphism/calls.js'
import { ChoiceMorphism } from '../graph/morphism/choice.js'
import { Each } from '../graph/morphism/each.js'
import type { Morphism } from '../graph/morphism/morphism.js'
import { SharedBatch, type SharedList } from '../graph/morphism/shared-gathering.js'
import type { SharedStates } from '../graph/morphism/shared-states.js'
import type { Rest } from '../graph/parent-report.js'
import type { RunContext } from '../graph/run-context.js'

interface BatchParts extends Pick<BatchOptions, 'lost' | 'keeping'> {
  /** Of a served binding. */
  readonly shared: SharedStates | undefined
}

/** One for all requests of a served binding, where they share it. */
export const openBatch = (
  node: GraphNode,
  { size, withinMs }: BatchSettings,
  feeds: readonly number[],
  context: RunContext,
  { lost, keeping, shared }: BatchParts,
): Batch | SharedBatch => {
  const { name } = node
  const list = shared?.waitingIn<SharedList>(node, () => ({ items: [], bytes: 0 }))
  if (list && size !== undefined) return new SharedBatch(feeds, context, { name, lost, list, size })
  return new Batch(feeds, context, { name, lost, size, withinMs, keeping })
}

export class Batches {
  readonly #gatherings: Gathering[] = []
  readonly #workers: Worker[] = []

  constructor(
    receivers: Iterable<Morphism>,
    private readonly cycles: readonly Cycle[],
  ) {
    for (const receiver of receivers) {
      if (receiver instanceof Batch) this.#gatherings.push(receiver)
      else if (receiver instanceof Each || receiver instanceof ChoiceMorphism || receiver instanceof Calls) this.#workers.push(receiver)
      else if (receiver instanceof ChildProcess) {
        this.#workers.push(receiver)
        if (receiver.batches) this.#gatherings.push(receiver.batches)
      }
    }
  }

  get rest(): Rest {
    const inFlight = [...this.#workers.map((worker) => worker.inFlight), ...this.cycles.map(({ waiting }) => waiting)]
    return {
      isStill: inFlight.reduce((sum, n) => sum + n, 0) === gatheredIn(this.#workers),
      isBatched: this.#gatherings.some(({ isWaiting }) => isWaiting),
    }
  }

  /** Flushes the first batch that has messages. */
  letGo(): void {
    // It may fill the next.
    this.#gatherings.some((gathering) => gathering.letGo())
  }
}
