// flatten: sends each element of a list, unchanged.

import { notAList, put, Sink, type Stage, Verdict } from '@plumb/lang'
import type { Fault } from '@plumb/wire'
import { eachItem, skipSpace } from '@plumb/wire/json'
import { Morphism } from './morphism.js'

export interface FlattenOptions {
  /** Checks the list as a whole. */
  readonly stage: Stage
  readonly report: (fault: Fault) => void
  /** Called for each list that fails. */
  readonly lost: (() => void) | undefined
}

const OPEN = 0x5b

export class Flatten extends Morphism {
  readonly #o: FlattenOptions
  /** For a list to which defaults were added. */
  readonly #filled = new Sink()
  /** Adjacent elements leave in one piece. */
  readonly #elements = new Sink()

  constructor(feeds: readonly number[], options: FlattenOptions) {
    super(feeds, 1)
    this.#o = options
  }

  receive(_input: number, buf: Buffer, start: number, end: number): void {
    const { stage } = this.#o
    const filled = this.#filled
    const verdict = stage.run(buf, start, end, filled)
    if (verdict === Verdict.PASS) this.#send(buf, start, end)
    else if (verdict === Verdict.WROTE) this.#send(filled.buf, filled.start, filled.end)
    else this.#fail(stage.fault)
  }

  #send(buf: Buffer, start: number, end: number): void {
    const at = skipSpace(buf, start)
    if (buf[at] !== OPEN) return this.#fail(notAList('flatten', buf, start, end))
    const elements = this.#elements
    const [outlet] = this.outlets
    eachItem(buf, at, (from, to) => {
      elements.commit(put(elements, elements.at, buf, from, to))
      outlet?.send(elements.buf, elements.start, elements.end)
    })
  }

  #fail(reason: Fault | null): void {
    if (reason) this.#o.report(reason)
    this.#o.lost?.()
  }
}
