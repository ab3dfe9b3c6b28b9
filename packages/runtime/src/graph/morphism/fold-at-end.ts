// fold with emit: "end": sends the last state of each key when the input ends, the keys in the order of their first message. Each stems from
// the last message of its key.

import { type Folding, type Identity, KeyedFolding, type Sink, Verdict } from '@plumb/lang'
import type { Fault } from '@plumb/wire'
import type { Holding } from '../holding.js'
import type { Origin } from '../origin.js'
import type { RunContext } from '../run-context.js'
import { type Keeping, keepStates } from './keeping.js'
import { Morphism } from './morphism.js'

export interface FoldAtEndOptions {
  readonly name: string
  readonly stage: Folding | KeyedFolding
  readonly sink: Sink
  /** Where its states are kept. Undefined: nowhere. */
  readonly keeping: Keeping | undefined
  readonly report: (fault: Fault) => void
  /** Called with the origin of a message that went into the state of another, or failed. */
  readonly lost: (origin: Origin, kept?: Origin) => void
}

export class FoldAtEnd extends Morphism {
  /** Of the last message of each key. */
  readonly #origins = new Map<Identity, Origin>()
  readonly #keep: (() => void) | undefined

  constructor(
    feeds: readonly number[],
    private readonly context: Pick<RunContext, 'current'>,
    private readonly o: FoldAtEndOptions,
  ) {
    super(feeds, 1)
    this.#keep = o.keeping && keepStates(o.stage, o.keeping)
  }

  receive(_input: number, buf: Buffer, start: number, end: number): void {
    const { stage, sink, report, lost } = this.o
    const { origin } = this.context.current
    if (stage.run(buf, start, end, sink) !== Verdict.WROTE) {
      if (stage.fault) report(stage.fault)
      lost(origin)
      return
    }
    this.#keep?.()
    const key = stage instanceof KeyedFolding ? stage.key : ''
    const before = this.#origins.get(key)
    origin.retain()
    this.#origins.set(key, origin)
    if (!before) return
    if (before !== origin) lost(before, origin)
    before.release()
  }

  override holding(name: string): Holding {
    return { of: 'batch', name, waiting: this.#origins.size, bytes: 0, is_due: false }
  }

  protected override finish(): void {
    const { stage } = this.o
    const { current } = this.context
    for (const [key, origin] of this.#origins) {
      const bytes = Buffer.from(`${stage instanceof KeyedFolding ? stage.stateOf(key) : stage.state}\n`)
      const before = current.enter(origin)
      this.outlets[0]?.send(bytes, 0, bytes.length - 1)
      current.leave(before)
      origin.release()
    }
    this.#origins.clear()
    super.finish()
  }
}
