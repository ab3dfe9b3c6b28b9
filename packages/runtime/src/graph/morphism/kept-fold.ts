// A fold whose states outlive its process.

import { type Folding, type KeyedFolding, type Sink, type Stage, Verdict } from '@plumb/lang'
import type { Fault } from '@plumb/wire'
import { type Keeping, keepStates } from './keeping.js'

export class KeptFold implements Stage {
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
