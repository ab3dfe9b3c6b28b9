// The failures of a child's messages, as the child reports them or by its end. If an error handler around the child takes them, each
// message fails by itself; else they are reported once, with the inputs that the messages come from.

import { type Fault, fault } from '@plumb/wire'
import { rangesOf } from '../graph/input-context.js'
import type { Origin } from '../graph/origin.js'
import type { RunContext } from '../graph/run-context.js'
import { numbersIn } from './errors.js'
import type { InFlightTracker } from './in-flight.js'
import type { ChildOptions } from './options.js'

export class ChildFailures {
  readonly #o: Pick<ChildOptions, 'name' | 'isHandled' | 'observer'>
  /** How it ended, if its messages have failed on that. */
  #end: Fault | undefined
  #hasEnded = false
  /** Origins of messages that came after its end, while the reason was unknown. */
  #late: Origin[] = []
  #idle: Fault | undefined
  /** A message has failed on its end. */
  hasSaidAll = false
  #hasReportedSurplus = false

  constructor(
    private readonly context: Pick<RunContext, 'current' | 'report'>,
    options: Pick<ChildOptions, 'name' | 'isHandled' | 'observer'>,
    private readonly messages: InFlightTracker,
  ) {
    this.#o = options
  }

  /** It counts the messages that it got; we count inputs, and its line numbers mean nothing outside of it. */
  pass({ line: _, seqs, seq, ...said }: Fault): void {
    const { observer, isHandled } = this.#o
    const { messages } = this
    const passed = said as Fault
    const about = numbersIn(seqs ?? seq)
    const [only] = about
    if (only !== undefined && about.length === 1 && observer?.isEarly(only)) return this.#passLater(only, passed)
    for (const n of about) observer?.refused(n, messages.originOf(n).seq, passed)
    // Errors at its end about left-over messages are no failures of a message, and it may have answered that long ago.
    const inHand = isHandled && passed.error !== 'unpaired' ? about.filter((n) => messages.isInHand(n)) : []
    for (const n of inHand) this.#report(messages.originOf(n), passed)
    if (inHand.length === 0) {
      const inputs = about.map((n) => messages.originOf(n)).flatMap((one) => (one.seq > 0 ? [one.seq] : one.seqs))
      inputs.sort((a, b) => a - b)
      const origin = messages.originOfAll(about)
      this.#report(origin, (inputs.length > 1 ? { ...passed, seq: inputs[0], seqs: rangesOf(inputs) } : passed) as Fault)
      origin.release()
    }
    for (const n of about) messages.refuse(n)
  }

  /** Keeps the outcome of the n-th message, which was asked before its turn, until that comes, and calls `pass` then, with its origin. */
  hold(n: number, pass: (n: number) => void): void {
    const { current } = this.context
    const origin = this.messages.originOf(n)
    origin.retain()
    this.#o.observer?.hold(n, (isWanted) => {
      const before = current.enter(origin)
      if (isWanted) pass(n)
      current.leave(before)
      origin.release()
    })
  }

  /** It has ended; with a reason if not well, so each message in flight fails. */
  end(reason: Fault | undefined): void {
    const late = this.#late
    this.#late = []
    this.#hasEnded = true
    if (reason && this.#o.isHandled) {
      const { unanswered: _, seq: _seq, seqs: _seqs, ...end } = reason
      this.#end = end as Fault
      const origins = [...this.messages.origins, ...late]
      this.hasSaidAll = origins.length > 0
      for (const origin of origins) this.#report(origin, this.#end)
    }
    for (const origin of late) origin.release()
  }

  /** It has ended badly, and no message has failed on that. A later one may, and then reports it. */
  endIdle(reason: Fault): void {
    if (this.#o.isHandled) this.#idle = reason
    else this.context.report(reason)
  }

  /** At the end of the run. */
  reportIdle(): void {
    if (this.#idle && !this.hasSaidAll) this.context.report(this.#idle)
  }

  /** The current message fails too, if it comes later. False: that is reported in another way. */
  failLate(): boolean {
    if (!this.#o.isHandled) return false
    if (this.#end) {
      this.hasSaidAll = true
      this.context.report(this.#end)
      return true
    }
    // The reason of its end may be unknown yet.
    if (this.#hasEnded) return false
    const { origin } = this.context.current
    origin.retain()
    this.#late.push(origin)
    return true
  }

  /** An answer beyond one a message would, by position, be joined with the wrong message. */
  refuseSurplus(): undefined {
    const { name } = this.#o
    if (this.#hasReportedSurplus) return
    this.#hasReportedSurplus = true
    const detail = `'${name}' gave more outputs than it was sent messages: what is behind these is left out`
    this.context.report(fault('child_failed', detail, { process: name }))
  }

  #passLater(n: number, passed: Fault): void {
    const { seq } = this.messages.originOf(n)
    this.hold(n, () => {
      this.#o.observer?.refused(n, seq, passed)
      this.context.report(passed)
    })
    this.messages.refuse(n)
  }

  #report(origin: Origin, reason: Fault): void {
    const { current, report } = this.context
    const before = current.enter(origin)
    report(reason)
    current.leave(before)
  }
}
