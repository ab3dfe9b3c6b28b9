// A fold whose states outlive its process: it begins with the kept ones, and each new state is kept.

import { type Folding, type GraphNode, type Identity, KeyedFolding, type Sink, type Stage, Verdict } from '@plumb/lang'
import type { Fault, StateFile } from '@plumb/wire'
import type { InputContext } from '../input-context.js'

/** Other stages are returned unchanged. One that sends at the end gets all that is not sent again, so it begins anew. */
export const keepFold = (
  stage: Stage,
  node: GraphNode,
  places: ReadonlyMap<GraphNode, string>,
  state: StateFile | undefined,
  current: InputContext,
): Stage =>
  state && node.work.kind === 'fold' && !node.work.atEnd
    ? new KeptFold(stage as Folding | KeyedFolding, places.get(node) ?? node.name, state, current)
    : stage

class KeptFold implements Stage {
  constructor(
    private readonly fold: Folding | KeyedFolding,
    private readonly place: string,
    private readonly state: StateFile,
    private readonly current: InputContext,
  ) {
    const before = state.memoryOf(place)
    if (fold instanceof KeyedFolding) for (const entry of before.filter(isEntry)) fold.entry = entry
    else if (typeof before[0] === 'string') fold.state = before[0]
  }

  get fault(): Fault | null {
    return this.fold.fault
  }

  run(buf: Buffer, start: number, end: number, out: Sink): Verdict {
    const { fold, place, state, current } = this
    const verdict = fold.run(buf, start, end, out)
    if (verdict !== Verdict.WROTE) return verdict
    // As text, so that numbers keep their digits.
    if (fold instanceof KeyedFolding) state.append({ place, seq: current.seq, messages: [fold.entry] })
    else state.append({ place, seq: current.seq, messages: [fold.state], replaces: true })
    return verdict
  }
}

const isEntry = (entry: unknown): entry is readonly [Identity, string] =>
  Array.isArray(entry) && entry.length === 2 && typeof entry[1] === 'string'
