// A fold whose states outlive its process.

import { type Folding, type GraphNode, type KeyedFolding, type Sink, type Stage, Verdict } from '@plumb/lang'
import type { Fault } from '@plumb/wire'
import { type Keeping, keepStates } from './keeping.js'

/** The stage of another node is returned unchanged. */
export const keptStage = (stage: Stage, { work }: GraphNode, keeping: Keeping | undefined): Stage =>
  keeping && work.kind === 'fold' ? new KeptFold(stage as Folding | KeyedFolding, keeping) : stage

class KeptFold implements Stage {
  readonly #keep: () => void

  constructor(
    private readonly fold: Folding | KeyedFolding,
    keeping: Keeping,
  ) {
    this.#keep = keepStates(fold, keeping)
  }

  get fault(): Fault | null {
    return this.fold.fault
  }

  run(buf: Buffer, start: number, end: number, out: Sink): Verdict {
    const verdict = this.fold.run(buf, start, end, out)
    if (verdict === Verdict.WROTE) this.#keep()
    return verdict
  }
}
