// A fold whose state outlives its process: it begins with the kept state, and each new state is kept.

import { type Folding, type GraphNode, type Sink, type Stage, Verdict } from '@plumb/lang'
import type { Fault, StateFile } from '@plumb/wire'
import type { InputContext } from '../input-context.js'

/** Other stages are returned unchanged. */
export const keepFold = (
  stage: Stage,
  node: GraphNode,
  places: ReadonlyMap<GraphNode, string>,
  state: StateFile | undefined,
  current: InputContext,
): Stage => (state && node.work.kind === 'fold' ? new KeptFold(stage as Folding, places.get(node) ?? node.name, state, current) : stage)

class KeptFold implements Stage {
  constructor(
    private readonly fold: Folding,
    private readonly place: string,
    private readonly state: StateFile,
    private readonly current: InputContext,
  ) {
    const [before] = state.memoryOf(place)
    if (typeof before === 'string') fold.state = before
  }

  get fault(): Fault | null {
    return this.fold.fault
  }

  run(buf: Buffer, start: number, end: number, out: Sink): Verdict {
    const { fold, place, state, current } = this
    const verdict = fold.run(buf, start, end, out)
    // As text, so that numbers keep their digits.
    if (verdict === Verdict.WROTE) state.append({ place, seq: current.seq, messages: [fold.state], replaces: true })
    return verdict
  }
}
