// p@error: emits a Failure for each failure of p, with the message that entered p.

import { type GraphPosition, put, Sink } from '@plumb/lang'
import { type Fault, isHeld } from '@plumb/wire'
import { type ErrorHandler, inLists } from '../error-handler.js'
import type { Origin } from '../origin.js'
import type { RunContext } from '../run-context.js'
import { Morphism } from './morphism.js'

export interface FailurePortOptions {
  /** Where messages enter p. */
  readonly places: readonly GraphPosition[]
  /** The error handlers of the forms around p. */
  readonly around: readonly ErrorHandler[]
  /** Called with each handled error. */
  readonly handled: (fault: Fault) => void
}

/** Closes once all nodes of p have: each of them feeds its one input. */
export class FailurePort extends Morphism implements ErrorHandler {
  readonly index = undefined
  readonly #o: FailurePortOptions
  readonly #sink = new Sink()

  constructor(
    feeds: number,
    private readonly context: Pick<RunContext, 'current'>,
    options: FailurePortOptions,
  ) {
    super([feeds], 1)
    this.#o = options
  }

  receive(): void {}

  handle(fault: Fault): boolean {
    // These errors end or suspend the run.
    if (fault.error === 'budget_spent' || isHeld(fault)) return false
    const { current } = this.context
    const origin = this.#entered(current.origin)
    if (!origin) return false
    const { around, handled } = this.#o
    handled(current.withCause(fault))
    const sink = this.#sink
    const at = this.#write(inLists(fault, around), origin)
    sink.commit(at)
    const { buf, start, end } = sink
    const before = current.enter(origin)
    this.outlets[0]?.send(buf, start, end)
    current.leave(before)
    return true
  }

  /** The origin of the message that entered p, if the current message stems from one. */
  #entered(origin: Origin): Origin | undefined {
    for (const place of this.#o.places) {
      const entered = origin.passed(place)
      if (entered && (entered.seq > 0 || entered.message || entered.seqs.length > 0)) return entered
    }
    return undefined
  }

  #write(fault: Fault, origin: Origin): number {
    const { error, category, detail, index, indexes, earlier, process } = fault
    const seq = origin.seq || this.context.current.seq
    const head = JSON.stringify({ error, category, detail, ...(seq > 0 ? { seq } : {}) }).slice(0, -1)
    const tail = JSON.stringify({ index, indexes, earlier, process }).slice(1)
    const sink = this.#sink
    const { message } = origin
    let p = putText(sink, sink.at, head)
    if (message) p = put(sink, putText(sink, p, ',"input":'), message.buf, message.start, message.end)
    return putText(sink, p, tail === '}' ? tail : `,${tail}`)
  }
}

const putText = (sink: Sink, at: number, text: string): number => {
  const bytes = Buffer.from(text)
  return put(sink, at, bytes, 0, bytes.length)
}
