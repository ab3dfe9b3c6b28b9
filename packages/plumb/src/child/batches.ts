// The batches in a nested plumb. It reports how many messages wait in them while it is otherwise quiet; the outer graph, when that is quiet
// too, asks it to flush them.

import { type Bound, type Graph, type GraphNode, planOf } from '@plumb/lang'
import { type LineChild, LineWriter } from '@plumb/wire'
import type { Gathering } from '../graph/cycle.js'
import { cyclesOf } from '../graph/find-cycles.js'
import { LET_GO_FD } from './agent-start.js'
import type { InFlightTracker } from './in-flight.js'
import type { ChildOptions } from './options.js'

const LET_GO = Buffer.from('{"let_go":true}')

export const openChildBatches = ({ kind, child }: ChildOptions, messages: InFlightTracker): ChildBatches | undefined => {
  const stream = kind === 'plumb' ? child.fds.get(LET_GO_FD) : undefined
  return stream && 'write' in stream ? new ChildBatches(stream, messages) : undefined
}

type Writable = Extract<ReturnType<LineChild['fds']['get']>, { write: unknown }>

export class ChildBatches implements Gathering {
  readonly #writer: LineWriter

  constructor(
    stream: Writable,
    private readonly messages: InFlightTracker,
  ) {
    this.#writer = new LineWriter(stream)
  }

  get isWaiting(): boolean {
    return this.messages.isBatched
  }

  letGo(): boolean {
    if (!this.isWaiting) return false
    this.messages.sendControl()
    this.#writer.write(LET_GO, 0, LET_GO.length)
    return true
  }

  end(): void {
    void this.#writer.end()
  }
}

/** The nested plumbs that have batches, at any depth, where another process may ask to flush them: in a cycle, or in a nested plumb. */
export const plumbsToLetGo = (graph: Graph, isNested: boolean): ReadonlySet<GraphNode> => {
  const plumbs = graph.nodes.filter(({ work }) => work.kind === 'plumb')
  if (plumbs.length === 0) return new Set()
  const inCycles = new Set(isNested ? plumbs : cyclesOf(graph).flat())
  return new Set(plumbs.filter((node) => inCycles.has(node) && node.work.kind === 'plumb' && hasBatch(node.work.bound)))
}

const hasBatch = (bound: Bound): boolean =>
  planOf(bound).nodes.some(({ work }) => work.kind === 'batch' || (work.kind === 'plumb' && hasBatch(work.bound)))
