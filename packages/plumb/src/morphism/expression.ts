// map, filter, project, .field, discard: one compiled stage on each message. It checks the message against its type on the way.

import { type Sink, type Stage, Verdict } from '@plumb/lang'
import type { Fault } from '@plumb/wire'
import { Morphism } from './morphism.js'

export interface StageOptions {
  readonly stage: Stage
  readonly sink: Sink
  /** What does not fit its type is dropped without a word: a filter is a typed selector. */
  readonly isSelector: boolean
  readonly report: (fault: Fault) => void
}

export class ExpressionMorphism extends Morphism {
  readonly #stage: Stage
  readonly #sink: Sink
  readonly #report: (fault: Fault) => void
  readonly #isSelector: boolean

  constructor(feeds: readonly number[], { stage, sink, isSelector, report }: StageOptions) {
    super(feeds, 1)
    this.#stage = stage
    this.#sink = sink
    this.#isSelector = isSelector
    this.#report = report
  }

  receive(_input: number, buf: Buffer, start: number, end: number): void {
    const sink = this.#sink
    const verdict = this.#stage.run(buf, start, end, sink)
    const [outlet] = this.outlets
    if (verdict === Verdict.PASS) outlet?.send(buf, start, end)
    else if (verdict === Verdict.WROTE) outlet?.send(sink.buf, sink.start, sink.end)
    else if (verdict === Verdict.FAILED || (verdict === Verdict.MISFIT && !this.#isSelector)) {
      if (this.#stage.fault) this.#report(this.#stage.fault)
    }
  }
}
