// The batches in a nested plumb. It reports how many messages wait in it while it is otherwise quiet; the outer graph, when that is quiet
// too, asks it to flush its batches.

import { cyclesOf, type Graph, type GraphNode } from '@plumb/lang'
import { type LineChild, LineWriter, type SentMessages } from '@plumb/wire'
import type { Gathering } from '../graph/cycle.js'
import type { Origin } from '../graph/origin.js'
import { LET_GO_FD } from './agent-start.js'
import type { ChildOptions } from './options.js'

const LET_GO = Buffer.from('{"let_go":true}')

export const openChildBatches = ({ kind, child }: ChildOptions, messages: SentMessages<Origin>): ChildBatches | undefined => {
  const stream = kind === 'plumb' ? child.fds.get(LET_GO_FD) : undefined
  return stream && 'write' in stream ? new ChildBatches(stream, messages) : undefined
}

type Writable = Extract<ReturnType<LineChild['fds']['get']>, { write: unknown }>

export class ChildBatches implements Gathering {
  readonly #writer: LineWriter

  constructor(
    stream: Writable,
    private readonly messages: SentMessages<Origin>,
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

/** The nested plumbs whose messages may wait for others while a cycle is otherwise quiet: in a cycle, or in a nested plumb. */
export const plumbsToLetGo = (graph: Graph, isNested: boolean): ReadonlySet<GraphNode> => {
  const plumbs = graph.nodes.filter(({ work }) => work.kind === 'plumb')
  if (plumbs.length === 0) return new Set()
  const inCycles = new Set(isNested ? plumbs : cyclesOf(graph).flat())
  return new Set(plumbs.filter((node) => inCycles.has(node)))
}
