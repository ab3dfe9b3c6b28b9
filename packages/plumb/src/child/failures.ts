// What the messages of a child fail on, as the child says it or by its end. Where that is heard by a part of the program around the child,
// it is said of each message for itself; else once, with the inputs that the messages come from.

import { type Fault, fault } from '@plumb/wire'
import { rangesOf } from '../graph/input-context.js'
import type { Origin } from '../graph/origin.js'
import type { RunContext } from '../graph/run-context.js'
import { numbersIn } from './errors.js'
import type { InFlightTracker } from './in-flight.js'
import type { ChildOptions } from './options.js'

export class ChildFailures {
  readonly #o: Pick<ChildOptions, 'name' | 'isHeard' | 'observer'>
  /** How it ended, as each of its messages has failed on that. */
  #end: Fault | undefined
  #hasEnded = false
  /** Those of messages that came when it had ended, and how was not known yet. */
  #late: Origin[] = []
  #idle: Fault | undefined
  /** A message has failed on its end. */
  hasSaidAll = false
  #hasReportedSurplus = false

  constructor(
    private readonly context: Pick<RunContext, 'current' | 'report'>,
    options: Pick<ChildOptions, 'name' | 'isHeard' | 'observer'>,
    private readonly messages: InFlightTracker,
  ) {
    this.#o = options
  }

  /** It counts the messages that it got; we count inputs, and its line numbers mean nothing outside of it. */
  pass({ line: _, seqs, seq, ...said }: Fault): void {
    const { observer, isHeard } = this.#o
    const { messages } = this
    const passed = said as Fault
    const about = numbersIn(seqs ?? seq)
    for (const n of about) observer?.refused(n, messages.originOf(n).seq, passed)
    // What it says at its end of what was left over is no failure of a message, and it may have answered that long ago.
    const inHand = isHeard && passed.error !== 'unpaired' ? about.filter((n) => messages.isInHand(n)) : []
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

  /** It has ended, for this reason if not well: so each message in hand fails. */
  end(reason: Fault | undefined): void {
    const late = this.#late
    this.#late = []
    this.#hasEnded = true
    if (reason && this.#o.isHeard) {
      const { unanswered: _, seq: _seq, seqs: _seqs, ...end } = reason
      this.#end = end as Fault
      const origins = [...this.messages.origins, ...late]
      this.hasSaidAll = origins.length > 0
      for (const origin of origins) this.#report(origin, this.#end)
    }
    for (const origin of late) origin.release()
  }

  /** It has ended badly, and no message has failed on that. One that comes later may: then that is how it is told. */
  endIdle(reason: Fault): void {
    if (this.#o.isHeard) this.#idle = reason
    else this.context.report(reason)
  }

  /** At the end of the run. */
  reportIdle(): void {
    if (this.#idle && !this.hasSaidAll) this.context.report(this.#idle)
  }

  /** So does the one that is worked on, if it comes later; false: that is to be told in another way. */
  failLate(): boolean {
    if (!this.#o.isHeard) return false
    if (this.#end) {
      this.hasSaidAll = true
      this.context.report(this.#end)
      return true
    }
    // How it ended may not be known yet.
    if (this.#hasEnded) return false
    const { origin } = this.context.current
    origin.retain()
    this.#late.push(origin)
    return true
  }

  /** What it gave beyond one answer a message would, by its place, be joined with what it does not belong to. */
  refuseSurplus(): undefined {
    const { name } = this.#o
    if (this.#hasReportedSurplus) return
    this.#hasReportedSurplus = true
    const detail = `'${name}' gave more outputs than it was sent messages: what is behind these is left out`
    this.context.report(fault('child_failed', detail, { process: name }))
  }

  #report(origin: Origin, reason: Fault): void {
    const { current, report } = this.context
    const before = current.enter(origin)
    report(reason)
    current.leave(before)
  }
}
