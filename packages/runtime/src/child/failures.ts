// The failures of a child's messages, as the child reports them or by its end. Where each has to have an error of its own, as for error
// handlers around the child or for a parent, they are reported one by one; else once, with the inputs that the messages come from.

import { asShared, ERRORS, type Fault, fault, isFault, isHeld, preview, type Sent, wordsOfError } from '@plumb/wire'
import type { Origin } from '../graph/origin.js'
import type { RunContext } from '../graph/run-context.js'
import { Dropped } from './end.js'

export interface FailureOptions {
  readonly name: string
  readonly isOurs: boolean
  /** Each message fails with an error of its own. */
  readonly isOneByOne: boolean
  /** No error handler takes these: a parent is told of them, which may report them as one. */
  readonly isForParent: boolean
  /** What it reports is told as this. */
  readonly translate: (fault: Fault) => Fault
  /** Given what a program of others says, what it lacked in its sandbox. */
  readonly findMissingAccess?: ((said: string) => string | undefined) | undefined
}

export class ChildFailures {
  readonly #o: FailureOptions
  /** Errors about messages that the child has reported. */
  reported = 0
  /** How it ended, if its messages have failed on that. */
  #end: Fault | undefined
  #hasEnded = false
  /** Origins of messages that came after its end, while the reason was unknown. */
  #late: Origin[] = []
  #idle: Fault | undefined
  readonly #dropped = new Dropped()
  /** Its end was told: a message has failed on it, or it was reported. */
  hasTold = false
  #hasFailed = false

  constructor(
    private readonly context: Pick<RunContext, 'current' | 'report'>,
    options: FailureOptions,
  ) {
    this.#o = options
  }

  /** What a line says of these messages. */
  report(messages: readonly Sent<Origin>[], error: unknown, isShared: boolean): Fault {
    this.reported++
    const said = this.#o.translate(this.#o.isOurs ? this.#ours(error) : this.#foreign(error))
    const passed = isShared || messages.length > 1 ? asShared(said) : said
    for (const { of } of said.error === 'unpaired' ? messages.slice(-1) : messages) this.reportFor(of, passed)
    return said
  }

  reportFor(origin: Origin, reason: Fault): void {
    const { current, report } = this.context
    const before = current.enter(origin)
    report(reason)
    current.leave(before)
  }

  /** It has ended, and not well: these messages, which it has in hand, fail, and so does what comes from here on. */
  end(reason: Fault | undefined, inHand: readonly Origin[]): void {
    const late = this.#late
    this.#late = []
    this.#hasEnded = true
    if (reason && this.#o.isOneByOne) this.breakOff(this.#o.isForParent ? asShared(reason) : reason, [...inHand, ...late])
    for (const origin of late) origin.release()
  }

  /** Each of these messages fails, and so does what comes from here on. */
  breakOff(reason: Fault, inHand: readonly Origin[]): void {
    const { unanswered: _, seq: _seq, seqs: _seqs, ...end } = reason
    this.#end = end as Fault
    if (inHand.length > 0) this.hasTold = true
    for (const origin of inHand) this.reportFor(origin, this.#end)
  }

  /** Reports its end once, unless a message has failed on it. */
  tell(reason: Fault): void {
    if (this.hasTold) return
    this.hasTold = true
    this.context.report(reason)
  }

  /** The same, where it had no message in hand: a later one may still fail on it. */
  tellIfIdle(reason: Fault): void {
    if (this.#o.isOneByOne) this.#idle = reason
    else this.tell(reason)
  }

  /** The current message came too late. */
  late(): void {
    const { origin } = this.context.current
    if (this.#end) {
      this.hasTold = true
      this.context.report(this.#end)
    } else if (this.#o.isOneByOne && !this.#hasEnded) {
      // The reason of its end may be unknown yet.
      origin.retain()
      this.#late.push(origin)
    } else this.#dropped.add(origin)
  }

  /** It has ended, and everything was read. `failsLate`: what comes too late has failed, else it is dropped. */
  close(hasFailed: boolean, failsLate: boolean): void {
    this.#hasFailed = hasFailed
    this.#dropped.end = failsLate ? 'badly' : 'well'
  }

  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** The first input that may still be reported as lost here; Infinity: none. */
  get oldestDropped(): number {
    return this.#dropped.oldest
  }

  /** At the end of the run: what was lost because the child had failed, or the failure itself, if no message was there to fail on it. */
  reportDropped(): void {
    if (this.#idle) this.tell(this.#idle)
    const lost = this.#dropped.faultOf(this.#o.name)
    if (lost) this.context.report(lost)
  }

  // It counts the messages that it got; we count inputs, and its line numbers mean nothing outside of it.
  #ours(error: unknown): Fault {
    if (!isFault(error)) return this.#foreign(error)
    const { line: _, seq: _seq, seqs: _seqs, ...said } = error
    return { ...(said as Fault), source: said.source ?? this.#o.name }
  }

  #foreign(error: unknown): Fault {
    const { name } = this.#o
    if (isFault(error) && ERRORS[error.error].category === error.category && !isOurToMake(error)) {
      const { retry_after: seconds } = error
      const extras = { source: name, ...(typeof seconds === 'number' ? { retry_after: seconds } : {}) }
      return fault(error.error, this.#withLack(preview(error.detail, MAX_WORDS)), extras)
    }
    const said = preview(wordsOfError(error), MAX_WORDS)
    return fault('child_failed', this.#withLack(`'${name}' failed on this message: ${said}`), { source: name })
  }

  #withLack(said: string): string {
    const lacked = this.#o.findMissingAccess?.(said)
    return lacked === undefined ? said : `${said}; ${lacked}`
  }
}

/** It says that a run never started, has ended, or waits for a person. */
const isOurToMake = (error: Fault): boolean => error.category === 'config' || error.error === 'budget_spent' || isHeld(error)

const MAX_WORDS = 1000
