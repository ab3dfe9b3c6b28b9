// p + q, its exit: results of a message wait until nothing more can come, and messages leave in the order of arrival. Results of an
// alternative that then fails are dropped; the error of the last alternative contains the earlier ones.

import { type GraphPosition, put, Sink } from '@plumb/lang'
import { type Fault, fault, isHeld } from '@plumb/wire'
import type { ErrorHandler } from '../error-handler.js'
import type { Origin, OriginListener } from '../origin.js'
import type { RunContext } from '../run-context.js'
import { Morphism } from './morphism.js'

export interface SelectOptions {
  /** By alternative. */
  readonly places: readonly GraphPosition[]
  /** Messages that are in flight or wait for earlier ones. */
  readonly maxWaiting: number
  readonly report: (fault: Fault) => void
  /** Called with each error that leads to the next alternative. */
  readonly handled: (fault: Fault) => void
  /** Called with the origin of a message that failed in all alternatives, or lost something in the one that succeeded. */
  readonly lost: (origin: Origin) => void
}

interface Piece {
  readonly buf: Buffer
  readonly start: number
  readonly end: number
}

/** Sends messages to the alternatives. */
export interface Attempts {
  /** Whether there is an alternative that was not tried. */
  hasNext(attempt: SelectAttempt): boolean
  /** Sends the message to the next alternative. */
  attempt(attempt: SelectAttempt): void
  /** Nothing more comes of a message. */
  settled(): void
}

export class Select extends Morphism implements ErrorHandler {
  /** Set by the entrance, which is constructed after this. */
  entrance: Attempts | undefined
  readonly index = undefined
  readonly #o: SelectOptions
  readonly #copies = new Sink()
  /** In the order of arrival. */
  readonly #attempts: SelectAttempt[] = []
  #first = 0
  /** Sent to an alternative, and not finished yet. */
  #begun = 0
  /** Messages with results that may still come, by the alternative that has them. */
  readonly #unsettled: number[]
  #isEnding = false
  #hasFinished = false

  constructor(
    feeds: readonly number[],
    private readonly context: Pick<RunContext, 'current'>,
    options: SelectOptions,
  ) {
    super(feeds, 1)
    this.#o = options
    this.#unsettled = options.places.map(() => 0)
  }

  /** No message can come to this alternative from an earlier one. */
  isClosedBefore(alternative: number): boolean {
    return this.#unsettled.slice(0, alternative).every((count) => count === 0)
  }

  get messages(): number {
    return this.#attempts.length - this.#first
  }

  get hasRoom(): boolean {
    return this.#begun < this.#o.maxWaiting
  }

  /** The current message enters. */
  open(message: Piece): SelectAttempt {
    const { origin } = this.context.current
    origin.retain()
    const attempt = new SelectAttempt(this, origin, message)
    this.#attempts.push(attempt)
    this.#count(attempt, 1)
    return attempt
  }

  /** It is going to be sent with this origin. */
  begin(attempt: SelectAttempt, origin: Origin): void {
    if (attempt.alternative === 0) this.#begun++
    origin.addListener(attempt)
  }

  receive(_input: number, buf: Buffer, start: number, end: number): void {
    const attempt = this.#attempt
    if (!attempt) return this.#o.report(STRAY)
    if (attempt.fault) return
    const copies = this.#copies
    copies.commit(put(copies, copies.at, buf, start, end))
    attempt.outputs.push({ buf: copies.buf, start: copies.start, end: copies.end })
  }

  handle(fault: Fault): boolean {
    // These errors end or suspend the run.
    if (fault.error === 'budget_spent' || isHeld(fault)) return false
    const attempt = this.#attempt
    if (!attempt) return false
    attempt.fault ??= fault
    return true
  }

  /** Something of this origin was lost in an alternative. */
  lose(origin: Origin, kept?: Origin): void {
    const attempt = this.#attemptOf(origin)
    if (attempt && !(kept && this.#attemptOf(kept) === attempt)) attempt.hasLost = true
  }

  /** The alternative sends nothing more of the message. */
  settle(attempt: SelectAttempt): void {
    const { fault } = attempt
    if (fault) {
      attempt.outputs = []
      if (this.entrance?.hasNext(attempt)) {
        this.#handle(fault, attempt.origin)
        attempt.earlier.push(...takenApart(fault))
        attempt.fault = undefined
        attempt.hasLost = false
        this.#count(attempt, -1)
        attempt.alternative++
        this.#count(attempt, 1)
        return this.entrance.attempt(attempt)
      }
    }
    attempt.isSettled = true
    this.#count(attempt, -1)
    this.#advance()
    this.entrance?.settled()
  }

  #count({ alternative }: SelectAttempt, by: 1 | -1): void {
    this.#unsettled[alternative] = (this.#unsettled[alternative] as number) + by
  }

  #handle(fault: Fault, origin: Origin): void {
    const { current } = this.context
    const before = current.enter(origin)
    this.#o.handled(current.withCause(fault))
    current.leave(before)
  }

  /** That of the current message. */
  get #attempt(): SelectAttempt | undefined {
    return this.#attemptOf(this.context.current.origin)
  }

  #attemptOf(origin: Origin): SelectAttempt | undefined {
    for (const place of this.#o.places) {
      for (const one of origin.passed(place)?.listeners ?? []) if (one instanceof SelectAttempt && one.select === this) return one
    }
    return undefined
  }

  #advance(): void {
    for (let attempt = this.#attempts[this.#first]; attempt?.isSettled; attempt = this.#attempts[this.#first]) {
      this.#first++
      if (this.#first > COMPACT_AFTER) this.#attempts.splice(0, this.#first)
      if (this.#first > COMPACT_AFTER) this.#first = 0
      this.#begun--
      this.#leave(attempt)
    }
    if (this.#isEnding && this.messages === 0) this.#close()
  }

  #leave({ origin, fault, hasLost, outputs, earlier }: SelectAttempt): void {
    const { report, lost } = this.#o
    const { current } = this.context
    const before = current.enter(origin)
    if (fault) {
      const [last, ...others] = takenApart(fault).reverse()
      const all = [...earlier, ...others.reverse()]
      report({ ...(last as Fault), ...(all.length > 0 ? { earlier: all } : {}) })
    } else if (!this.#hasFinished) for (const { buf, start, end } of outputs) this.outlets[0]?.send(buf, start, end)
    if (fault || hasLost) lost(origin)
    current.leave(before)
    origin.release()
  }

  protected override finish(): void {
    this.#isEnding = true
    if (this.messages === 0) this.#close()
  }

  #close(): void {
    if (this.#hasFinished) return
    this.#hasFinished = true
    super.finish()
  }
}

/** After so many messages the consumed part of the queue is freed. */
const COMPACT_AFTER = 4096

const STRAY = fault('child_failed', "what a process in a '+' gave stems from no one message, and is left out")

/** The earlier errors, then the error itself. */
const takenApart = ({ earlier, ...last }: Fault): Fault[] => [...(Array.isArray(earlier) ? earlier : []), last as Fault]

/** A message in progress. */
export class SelectAttempt implements OriginListener {
  // After all barriers within the alternatives.
  readonly rank = Number.MAX_SAFE_INTEGER
  alternative = 0
  isSettled = false
  outputs: Piece[] = []
  fault: Fault | undefined
  hasLost = false
  /** Errors of the earlier alternatives. */
  readonly earlier: Fault[] = []

  constructor(
    readonly select: Select,
    readonly origin: Origin,
    readonly message: Piece,
  ) {}

  originEnded(): void {
    this.select.settle(this)
  }
}
